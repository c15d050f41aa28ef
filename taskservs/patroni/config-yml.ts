import {
  addressesOf,
  type HostContext,
  hostPart,
  type ListenAddress,
  MANAGED_FILE_HEADER,
  type SecretRef,
  secretAs,
  type Text,
  text,
} from '../../sdk/index.js';
import type { Json } from './cluster-settings.js';
import { type PatroniConfig, REPLICATOR, SUPERUSER } from './patroni-config.js';
import { API_TLS, ETCD_TLS, locateData, locatePrograms, tlsParameters } from './places.js';

/** What a member's file depends on beside its configuration. */
export interface MemberAt {
  host: HostContext;
  version: string;
  /** `HOST:PORT` of each etcd. */
  etcd: readonly string[];
  postgres: ListenAddress;
  api: ListenAddress;
  /** Where the state of the cluster is in etcd: `/patroni/`. */
  namespace: string;
  /** Settings of the whole cluster, for the member that begins it. */
  settings: Json;
}

/** Scalars and lists are written as JSON, which YAML reads as it is. */
const json = JSON.stringify;

/** Patroni and PostgreSQL put passwords into lines of files, which end at a line break. */
const password = (ref: SecretRef): SecretRef => secretAs('yaml-line', ref);

/** The content of config.yml: what concerns this member, and with what a cluster begins. */
export function configYml(config: PatroniConfig, at: MemberAt): Text {
  const { cluster, port, apiPort, passwords, tls } = config;
  const { host, version, etcd, settings } = at;
  const lines: Text[] = [
    MANAGED_FILE_HEADER,
    `scope: ${json(cluster)}`,
    `namespace: ${json(at.namespace)}`,
    `name: ${json(host.name)}`,
    'restapi:',
    `  listen: ${json(`${at.api === 'all' ? '0.0.0.0' : at.api === 'loopback' ? '127.0.0.1' : hostPart(at.api.address)}:${apiPort}`)}`,
    `  connect_address: ${json(`${reachedBy(at.api, host)}:${apiPort}`)}`,
    text`  authentication: { username: "patroni", password: ${password(passwords.api)} }`,
    ...(config.apiTls
      ? [
          `  certfile: ${json(API_TLS.certificate)}`,
          `  keyfile: ${json(API_TLS.key)}`,
          `  cafile: ${json(API_TLS.authority)}`,
          // Looks need no certificate, changes do.
          '  verify_client: "optional"',
          'ctl:',
          `  cacert: ${json(API_TLS.authority)}`,
          `  certfile: ${json(API_TLS.certificate)}`,
          `  keyfile: ${json(API_TLS.key)}`,
        ]
      : []),
    'etcd3:',
    `  hosts: ${json(etcd)}`,
    ...(config.etcdTls
      ? [
          '  protocol: "https"',
          ...[
            ['cacert', ETCD_TLS.authority],
            ['cert', ETCD_TLS.certificate],
            ['key', ETCD_TLS.key],
          ].map(([name, path]) => `  ${name}: ${json(path)}`),
        ]
      : []),
    'bootstrap:',
    `  dcs: ${json(settings)}`,
    '  initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums", { auth-local: "peer" }, { auth-host: "scram-sha-256" }]',
    'postgresql:',
    `  listen: ${json(`${(addressesOf(at.postgres) ?? ['*']).join(',')}:${port}`)}`,
    `  connect_address: ${json(`${reachedBy(at.postgres, host)}:${port}`)}`,
    `  data_dir: ${json(locateData(version))}`,
    `  bin_dir: ${json(locatePrograms(version))}`,
    '  pgpass: "/var/lib/postgresql/patroni.pgpass"',
    '  use_unix_socket: true',
    // A copy would wait for the next checkpoint, which takes minutes. Commits may wait for that copy.
    '  basebackup: [{ checkpoint: "fast" }]',
    '  authentication:',
    text`    superuser: { username: ${json(SUPERUSER)}, password: ${password(passwords.superuser)} }`,
    text`    replication: { username: ${json(REPLICATOR)}, password: ${password(passwords.replication)} }`,
    `  parameters: ${json({ unix_socket_directories: '/var/run/postgresql', ...tlsParameters(tls) })}`,
  ];
  return text`${lines.flatMap((line) => text`${line}\n`)}`;
}

/** By which other members reach it: an address that they need not resolve, else its name. */
const reachedBy = (listening: ListenAddress, host: HostContext): string =>
  typeof listening === 'object' ? hostPart(listening.address) : listening === 'loopback' ? '127.0.0.1' : host.name;
