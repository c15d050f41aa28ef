#!/bin/sh
# Manages the logins of a team's store. PGHOST, PGPORT, PGUSER (a superuser) and PGPASSWORD name the PostgreSQL:
#   sh deploy/store.sh                  creates the role and the database of the store; STORE_PASSWORD is the password
#   sh deploy/store.sh login NAME       creates a person's login, or changes its password; prints the password
#   sh deploy/store.sh remove NAME      ends the person's connections and removes the login
# A second run of the first command changes only the password. It takes over a database of a former version of
# temporal-dev.yml. Needs psql 14 or newer.
set -eu
store=provisioning

sql() { # DATABASE [psql arguments]: reads statements
  database=$1
  shift
  psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --tuples-only --no-align --dbname "$database" --set "store=$store" "$@"
}

check() {
  # `case` matches the whole value, not each line. Letters are listed, because ranges include capitals in some locales.
  case $1 in
    '' | [!abcdefghijklmnopqrstuvwxyz]* | *[!abcdefghijklmnopqrstuvwxyz0123456789-]* | ????????????????????????????????*)
      echo "not a name: use a-z, 0-9 and - (31 at most)" >&2
      exit 2
      ;;
    "$store" | "${PGUSER:-}" | postgres | temporal) echo "\"$1\" is no login of a person" >&2; exit 2 ;;
  esac
}

set_up() {
  : "${STORE_PASSWORD:?set it to the password of the store}"
  sql postgres <<'SQL'
\getenv password STORE_PASSWORD
select format('create role %I', :'store') where not exists (select from pg_roles where rolname = :'store') \gexec
alter role :"store" with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
select format('create database %I owner %I', :'store', :'store')
  where not exists (select from pg_database where datname = :'store') \gexec
alter database :"store" owner to :"store";
revoke all on database :"store" from public;
-- By default every login may connect to every database.
select format('revoke all on database %I from public', datname) from pg_database where datname <> :'store' \gexec
SQL
  # The store becomes the owner of everything that the superuser of a former set-up owns there.
  sql "$store" <<'SQL'
select format('alter schema %I owner to %I', nspname, :'store') from pg_namespace where nspname = 'provisioning' \gexec
select format('alter table %I.%I owner to %I', schemaname, tablename, :'store')
  from pg_tables where schemaname = 'provisioning' and tableowner <> :'store' \gexec
SQL
}

login() {
  check "$1"
  password=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
  export password
  sql postgres --set "name=$1" <<'SQL'
\getenv password password
select format('create role %I', :'name') where not exists (select from pg_roles where rolname = :'name') \gexec
alter role :"name" with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
grant :"store" to :"name";
-- What one of the team makes belongs to the store.
alter role :"name" set role to :"store";
select format('grant connect on database %I to %I', :'store', :'name') \gexec
SQL
  echo "$password"
}

remove() {
  check "$1"
  [ -n "$(echo "select 1 from pg_roles where rolname = :'name'" | sql postgres --set "name=$1")" ] ||
    { echo "there is no login \"$1\"" >&2; exit 1; }
  sql postgres --set "name=$1" <<'SQL' >/dev/null
alter role :"name" nologin;
select pg_terminate_backend(pid) from pg_stat_activity where usename = :'name';
revoke all on database :"store" from :"name";
drop role :"name";
SQL
}

case ${1:-} in
  '') set_up ;;
  login | remove) "$1" "${2:?name the person}" ;;
  *) echo "usage: $0 [login NAME | remove NAME]" >&2; exit 2 ;;
esac
