#!/bin/sh
# Makes the secrets that docker-compose.yml names, each in a file of deploy/secrets. One that is there is left as it is.
# The folder is its owner's only; the files inside can be read by all, for in the containers each service has another
# user, and only those secrets that it is given.
set -eu
folder=$(dirname "$0")/secrets
umask 077
mkdir -p "$folder"
chmod 700 "$folder"

make() {
    if [ -s "$folder/$1" ]; then
        echo "$1: kept"
        return
    fi
    # So many random bytes, as hexadecimal digits: no character that a URL or a shell takes for another.
    od -An -vtx1 -N"$2" /dev/urandom | tr -d ' \n' > "$folder/$1.partial"
    chmod 444 "$folder/$1.partial"
    mv "$folder/$1.partial" "$folder/$1"
    echo "$1: made"
}

make postgres_password 24
make panelwise_db_password 24
make label_studio_db_password 24
make label_studio_password 16
# Label Studio's tokens have 40 digits.
make label_studio_token 20
make metrics_token 24
make model_password 24
