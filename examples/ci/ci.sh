#!/bin/sh
# For every other CI: previews or applies a definition on an API server (docs/use/ci.md).
#   sh ci.sh preview        on a merge request
#   sh ci.sh apply          on main
# From the environment: PROVISIONING_SERVER, PROVISIONING_TOKEN; PROVISIONING_SERVER_CA if the certificate is of an own authority;
# DEFINITION, by default infra.yaml.
set -eu
definition=${DEFINITION:-infra.yaml}
case ${1-} in
  preview)
    provisioning validate "$definition"
    code=0
    provisioning apply "$definition" --check --detailed-exitcode || code=$?
    # 7: steps would run. Every other code is a failure.
    [ "$code" -eq 0 ] || [ "$code" -eq 7 ]
    ;;
  apply)
    provisioning apply "$definition" --yes
    ;;
  *)
    echo "usage: sh ci.sh preview|apply" >&2
    exit 2
    ;;
esac
