#!/bin/sh
# Run once by the image of PostgreSQL, when its volume is new: the campaign's store and Label Studio each get a database
# and a role of their own, and neither may look into the other's.
set -eu
secrets=${PANELWISE_SECRETS:-/run/secrets}

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres \
    --set=panelwise="$(cat "$secrets/panelwise_db_password")" \
    --set=labelstudio="$(cat "$secrets/label_studio_db_password")" <<'SQL'
CREATE ROLE panelwise LOGIN PASSWORD :'panelwise';
CREATE ROLE labelstudio LOGIN PASSWORD :'labelstudio';
CREATE DATABASE panelwise OWNER panelwise ENCODING 'UTF8' TEMPLATE template0;
CREATE DATABASE labelstudio OWNER labelstudio ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE panelwise FROM PUBLIC;
REVOKE ALL ON DATABASE labelstudio FROM PUBLIC;
REVOKE CONNECT ON DATABASE postgres FROM PUBLIC;
SQL
