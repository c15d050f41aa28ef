#!/bin/sh
# Creates the certificates of a team's Temporal: an authority for servers, one for clients, and their certificates.
#   sh deploy/certificates.sh FOLDER [CLIENT…]     clients: worker, api, ui, namespace, and each named person
# Existing certificates stay. Those that expire within 30 days are renewed.
# NAMES adds names of the server: DNS:temporal.example.org
# API_NAMES adds names of the API server: DNS:api.example.org. Its clients trust api/trust.pem.
# Containers read its subfolders as their own users. Only the owner can read FOLDER itself.
set -eu
folder=${1:?name the folder}
shift
# Check the names before any file is created. A name is a folder and part of a certificate's subject: no "/", no line
# break.
for client in "$@"; do
  case $client in
    '' | [.-]* | *[!ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-]* | authority | server | api)
      echo "not the name of a client: use letters, digits, \".\", \"_\" and \"-\"; authority, server and api are taken" >&2
      exit 2
      ;;
  esac
done
umask 022
mkdir -p "$folder"
chmod 0700 "$folder"
cd "$folder"

key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null; }
lasts() { [ -s "$1" ] && openssl x509 -in "$1" -noout -checkend 2592000 >/dev/null; }

authority() { # NAME
  lasts "authority/$1.pem" && return
  mkdir -p -m 0700 authority
  key "authority/$1.key"
  openssl req -x509 -new -key "authority/$1.key" -days 3650 -subj "/O=provisioning/CN=$1" -out "authority/$1.pem" \
    -addext keyUsage=critical,keyCertSign
}

sign() { # AUTHORITY FOLDER NAME COMMON-NAME EXTENSIONS
  lasts "$2/$3.pem" && openssl verify -CAfile "authority/$1.pem" "$2/$3.pem" >/dev/null 2>&1 && return
  mkdir -p "$2"
  key "$2/$3.key"
  # The user of any container must be able to read it.
  chmod 0644 "$2/$3.key"
  openssl req -new -key "$2/$3.key" -subj "/O=provisioning/CN=$4" |
    { printf '%s\n' "$5" >"$2/$3.ext"; openssl x509 -req -CA "authority/$1.pem" -CAkey "authority/$1.key" -CAcreateserial \
      -days 730 -extfile "$2/$3.ext" -out "$2/$3.pem" 2>/dev/null; }
  rm "$2/$3.ext"
}

authority servers
authority clients
sign servers server server temporal "subjectAltName=DNS:temporal,DNS:localhost,IP:127.0.0.1${NAMES:+,$NAMES}
extendedKeyUsage=serverAuth,clientAuth"
cp authority/servers.pem server/servers.pem
cp authority/clients.pem server/clients.pem
for client in worker api ui namespace "$@"; do
  sign clients "$client" client "$client" 'extendedKeyUsage=clientAuth'
  cp authority/servers.pem "$client/ca.pem"
done
# The API server has a separate authority, so that its clients do not trust servers of Temporal.
authority api
sign api api server api "subjectAltName=DNS:localhost,IP:127.0.0.1${API_NAMES:+,$API_NAMES}
extendedKeyUsage=serverAuth"
cp authority/api.pem api/trust.pem
