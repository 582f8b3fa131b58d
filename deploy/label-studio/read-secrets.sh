# shellcheck shell=sh
# Sourced by the entry point of Label Studio's image (ENV_INJECT_SOURCES), which knows no secrets in files.
secrets=${PANELWISE_SECRETS:-/run/secrets}
POSTGRE_PASSWORD=$(cat "$secrets/label_studio_db_password")
LABEL_STUDIO_PASSWORD=$(cat "$secrets/label_studio_password")
LABEL_STUDIO_USER_TOKEN=$(cat "$secrets/label_studio_token")
export POSTGRE_PASSWORD LABEL_STUDIO_PASSWORD LABEL_STUDIO_USER_TOKEN
unset secrets
