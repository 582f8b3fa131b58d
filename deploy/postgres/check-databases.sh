#!/bin/sh
# The health check of PostgreSQL: it answers, and make-databases.sh came to its end. The image runs that script only
# when the volume is new, so one that was interrupted (no secret, a full disk, a restart) is not tried again.
set -eu
# Over TCP: while the databases are made the server listens on its socket only.
pg_isready --quiet --host=127.0.0.1

# The parts that the script makes, in its order; its last statement is the last line.
missing=$(psql --no-psqlrc --tuples-only --no-align --set=ON_ERROR_STOP=1 \
    --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
WITH part(name, made) AS (
    SELECT 'role ' || role, EXISTS (SELECT FROM pg_roles WHERE rolname = role AND rolcanlogin)
    FROM unnest(ARRAY['panelwise', 'labelstudio']) AS role
    UNION ALL
    SELECT 'database ' || base, EXISTS (
        SELECT FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba WHERE datname = base AND rolname = base
    )
    FROM unnest(ARRAY['panelwise', 'labelstudio']) AS base
    UNION ALL
    SELECT 'rights of ' || datname, NOT has_database_privilege('public', oid, 'CONNECT')
    FROM pg_database WHERE datname IN ('panelwise', 'labelstudio', 'postgres')
)
SELECT string_agg(name, ', ') FROM part WHERE NOT made;
SQL
)
if [ -n "$missing" ]; then
    echo "the databases were not made to the end; missing: $missing. Where they hold no work yet: docker compose down," \
        "docker volume rm panelwise_postgres-data, then up again; see docker compose logs postgres"
    exit 1
fi
