#!/bin/sh
# Gives the service its namespace and search attributes (core/names.ts); repeating it changes nothing.
set -eu
until temporal operator cluster health; do sleep 2; done
temporal operator namespace describe --namespace "$NAMESPACE" ||
  temporal operator namespace create --namespace "$NAMESPACE" --retention 30d
set --
for name in Workspace Infra Kind Status Actor Attention; do
  set -- "$@" --name "Provisioning$name" --type Keyword
done
# A namespace is known everywhere in the service only some seconds after it was made.
attempt=0
until temporal operator search-attribute create --namespace "$NAMESPACE" "$@"; do
  attempt=$((attempt + 1))
  [ "$attempt" -lt 15 ] || exit 1
  sleep 2
done
