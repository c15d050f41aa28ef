/**
 * The tables, step by step: a step is never changed once it was released, another
 * one is added. All `sealed` columns are ciphertext.
 */
export const MIGRATIONS: readonly string[] = [
  `
  create table provisioning.store (
    id uuid primary key default gen_random_uuid(),
    one boolean not null unique default true check (one),
    key_check bytea
  );
  insert into provisioning.store default values;

  -- server '' is the infra's own key; a pinned host has no private half
  create table provisioning.keys (
    workspace text not null,
    infra text not null,
    server text not null,
    sealed bytea,
    public text not null,
    primary key (workspace, infra, server)
  );

  create table provisioning.secrets (
    name text primary key,
    sealed bytea not null
  );

  create table provisioning.logs (
    operation text not null,
    server text not null,
    taskserv text not null,
    generation integer not null,
    attempt integer not null,
    part integer not null,
    sealed bytea not null,
    written timestamptz not null default now(),
    primary key (operation, server, taskserv, generation, attempt, part)
  );

  create table provisioning.blobs (
    address text primary key,
    sealed bytea not null,
    written timestamptz not null default now()
  );

  create table provisioning.payloads (
    sha256 text primary key,
    content bytea not null,
    used timestamptz not null default now()
  );
  `,
  `
  -- infra '' is for all of the workspace; provisioning.secrets holds those that all workspaces share
  create table provisioning.scoped_secrets (
    workspace text not null,
    infra text not null,
    name text not null,
    sealed bytea not null,
    primary key (workspace, infra, name)
  );

  -- the public key that a server must show, sealed; "public" is for people, and never trusted
  alter table provisioning.keys add column pin bytea;
  `,
  `
  -- the highest state of each entity that was begun, and the run of the workflow that began it
  create table provisioning.sequences (
    workspace text not null,
    infra text not null,
    sequence bigint not null,
    run text not null,
    primary key (workspace, infra)
  );
  `,
  `
  create table provisioning.claims (
    start text primary key,
    run text not null,
    claimed timestamptz not null default now()
  );
  `,
  `
  create table provisioning.rollbacks (
    workspace text not null,
    infra text not null,
    operation text not null,
    sealed bytea not null,
    written timestamptz not null default now(),
    primary key (workspace, infra, operation)
  );
  create index on provisioning.rollbacks (operation);
  `,
  `
  -- the changes of each life of an infra; a base replaces what is before it
  create table provisioning.feeds (
    uuid text not null,
    sequence bigint not null,
    workspace text not null,
    infra text not null,
    base boolean not null,
    sealed bytea not null,
    written timestamptz not null default now(),
    primary key (uuid, sequence)
  );
  create index on provisioning.feeds (workspace, infra);
  `,
  `
  -- what is known of the value in use: JSON with at, by, how, recipe; '{}' of what was set before there were versions
  alter table provisioning.secrets add column version integer not null default 1, add column origin jsonb not null default '{}';
  alter table provisioning.scoped_secrets add column version integer not null default 1, add column origin jsonb not null default '{}';

  -- the values that were in use before; workspace '' is for those that all workspaces share
  create table provisioning.former_secrets (
    workspace text not null,
    infra text not null,
    name text not null,
    version integer not null,
    sealed bytea not null,
    origin jsonb not null,
    primary key (workspace, infra, name, version)
  );

  -- a trigger, so that a worker of a former version, which knows nothing of versions, keeps them too
  create function provisioning.keep_former_secret() returns trigger language plpgsql as $$
  declare
    of_workspace text := coalesce(to_jsonb(old) ->> 'workspace', '');
    of_infra text := coalesce(to_jsonb(old) ->> 'infra', '');
  begin
    if tg_op = 'DELETE' then
      delete from provisioning.former_secrets where workspace = of_workspace and infra = of_infra and name = old.name;
      return old;
    end if;
    if new.version <= old.version then new.version := old.version + 1; end if;
    if new.origin = old.origin then new.origin := jsonb_build_object('at', to_jsonb(now()), 'by', '', 'how', ''); end if;
    insert into provisioning.former_secrets values (of_workspace, of_infra, old.name, old.version, old.sealed, old.origin)
      on conflict do nothing;
    delete from provisioning.former_secrets
      where workspace = of_workspace and infra = of_infra and name = old.name and version <= new.version - 10;
    return new;
  end $$;
  create trigger keep_former before update of sealed or delete on provisioning.secrets
    for each row execute function provisioning.keep_former_secret();
  create trigger keep_former before update of sealed or delete on provisioning.scoped_secrets
    for each row execute function provisioning.keep_former_secret();

  -- who was given the value of a secret
  create table provisioning.secret_reads (
    id bigint generated always as identity primary key,
    workspace text not null,
    infra text not null,
    name text not null,
    read jsonb not null
  );
  create index on provisioning.secret_reads (workspace, infra, name, id);
  `,
  `
  -- what the store says of a move from it or to it: JSON with state, setUp, other
  alter table provisioning.store add column move jsonb;
  `,
];
