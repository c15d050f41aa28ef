#!/bin/sh
# Pins the images of a Compose file or a Dockerfile to the current digests of their registry:
#
#   deploy/pin-images.sh temporal-dev.yml deploy/Dockerfile
#
# Needs Docker and the network. Changes `NAME:TAG` to `NAME:TAG@sha256:…`, and updates existing digests. A digest
# replaces `${UNPINNED_IMAGES?…}`, which makes Compose reject an image without a digest. Images without a tag (built
# here) are not changed. Review the difference before you commit it.
set -eu

[ $# -gt 0 ] || { echo "usage: $0 FILE…" >&2; exit 2; }

digest_of() {
  docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}'
}

no_digest() { # IMAGE ANSWER
  echo "cannot pin $1: \"$2\" is not a digest" >&2
  exit 1
}

pinned='(@sha256:[0-9a-f]{64}|\$\{UNPINNED_IMAGES\?[^}]*\})?'

for file in "$@"; do
  images=$(sed -nE "s/^(FROM|[[:space:]]+image:)[[:space:]]+([^[:space:]@\$]+:[^[:space:]@\$]+)$pinned([[:space:]].*)?\$/\2/p" "$file" | sort -u)
  for image in $images; do
    digest=$(digest_of "$image") || { echo "cannot pin $image: its digest cannot be looked up" >&2; exit 1; }
    # `case` matches the whole answer. grep would match each line.
    case $digest in
      sha256:*[!0-9a-f]*) no_digest "$image" "$digest" ;;
      sha256:*) [ ${#digest} -eq 71 ] || no_digest "$image" "$digest" ;;
      *) no_digest "$image" "$digest" ;;
    esac
    name=$(printf '%s' "$image" | sed 's/[.]/\\./g')
    sed -E "s#^((FROM|[[:space:]]+image:)[[:space:]]+$name)$pinned([[:space:]].*)?\$#\\1@$digest\\4#" "$file" >"$file.pinned"
    cat "$file.pinned" >"$file"
    rm "$file.pinned"
    echo "$image@$digest"
  done
done
