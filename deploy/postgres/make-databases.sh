#!/bin/sh
# Run once by the image of PostgreSQL, when its volume is new: the campaign's store and Label Studio each get a database
# and a role of their own, and neither may look into the other's. check-databases.sh says whether all of it was done.
set -eu
PANELWISE_SECRETS=${PANELWISE_SECRETS:-/run/secrets}
export PANELWISE_SECRETS
for name in panelwise_db_password label_studio_db_password; do
    [ -s "$PANELWISE_SECRETS/$name" ] || { echo "no secret $name; run sh deploy/make-secrets.sh" >&2; exit 1; }
done

# psql reads the passwords itself: whoever may list processes sees command lines.
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\set panelwise `cat "$PANELWISE_SECRETS/panelwise_db_password"`
\set labelstudio `cat "$PANELWISE_SECRETS/label_studio_db_password"`
-- Statements with passwords are not for the server's log, also where one fails.
SET log_statement = 'none';
SET log_min_error_statement = 'panic';
CREATE ROLE panelwise LOGIN PASSWORD :'panelwise';
CREATE ROLE labelstudio LOGIN PASSWORD :'labelstudio';
CREATE DATABASE panelwise OWNER panelwise ENCODING 'UTF8' TEMPLATE template0;
CREATE DATABASE labelstudio OWNER labelstudio ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE panelwise FROM PUBLIC;
REVOKE ALL ON DATABASE labelstudio FROM PUBLIC;
REVOKE CONNECT ON DATABASE postgres FROM PUBLIC;
SQL
