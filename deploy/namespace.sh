#!/bin/sh
# Creates the service's namespace and search attributes (core/names.ts). A second run changes nothing.
set -eu
until temporal operator cluster health; do sleep 2; done
temporal operator namespace describe --namespace "$NAMESPACE" ||
  temporal operator namespace create --namespace "$NAMESPACE" --retention 30d
set --
for name in Workspace Infra Kind Status Actor Attention; do
  set -- "$@" --name "Provisioning$name" --type Keyword
done
# All parts of the service know a new namespace only after some seconds.
attempt=0
until temporal operator search-attribute create --namespace "$NAMESPACE" "$@"; do
  attempt=$((attempt + 1))
  [ "$attempt" -lt 15 ] || exit 1
  sleep 2
done
