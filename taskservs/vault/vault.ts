import * as z from 'zod';
import {
  askAt,
  type HealthContext,
  hostPart,
  type ListenAddress,
  listeningOn,
  MANAGED_FILE_HEADER,
  port,
  secret,
  sh,
  vendorService,
} from '../../sdk/index.js';
import { hashicorp } from './hashicorp.js';
import published from './versions.json' with { type: 'json' };

const CONF = '/etc/vault.d/vault.hcl';
const TLS = { certificate: '/etc/vault.d/provisioning-cert.pem', key: '/etc/vault.d/provisioning-key.pem' };

const tls = z.strictObject({
  certificate: secret().describe('Certificate of the server, PEM'),
  key: secret().describe('Its key, PEM'),
});

const config = z
  .strictObject({
    port: port(8200).describe('TCP port on which clients connect'),
    clusterPort: port(8201).describe('TCP port for members, on loopback, because vault runs as a single member'),
    tls: tls.optional().describe('TLS for clients; without it, only on loopback'),
    ui: z.boolean().default(false).describe('Whether the web interface is served'),
  })
  .meta({
    examples: [
      {
        tls: Object.fromEntries(
          ['certificate', 'key'].map((part) => [
            part,
            { generate: 'certificate', ca: 'vault', names: ['vault-1', '127.0.0.1'], part },
          ]),
        ),
      },
    ],
  });

type Config = z.output<typeof config>;

const clients = ({ tls }: Config, context: HealthContext): ListenAddress =>
  tls ? listeningOn('vault', 'vault', context) : 'loopback';

function confOf({ port, clusterPort, tls, ui }: Config, listening: ListenAddress, server: string): string {
  const host = listening === 'all' ? '0.0.0.0' : askAt(listening);
  const api = typeof listening === 'object' ? hostPart(listening.address) : '127.0.0.1';
  return `${MANAGED_FILE_HEADER}
ui = ${ui}
disable_mlock = true
api_addr = ${JSON.stringify(`${tls ? 'https' : 'http'}://${api}:${port}`)}
cluster_addr = "https://127.0.0.1:${clusterPort}"

storage "raft" {
  path = "/opt/vault/data"
  node_id = ${JSON.stringify(server)}
}

listener "tcp" {
  address = ${JSON.stringify(`${host}:${port}`)}
  cluster_address = "127.0.0.1:${clusterPort}"
${tls ? `  tls_cert_file = "${TLS.certificate}"\n  tls_key_file = "${TLS.key}"` : '  tls_disable = true'}
}

telemetry {
  prometheus_retention_time = "24h"
  disable_hostname = true
}
`;
}

/** Keeps secrets. */
export const vault = vendorService({
  name: 'vault',
  category: 'security',
  holds: ['/opt/vault/data'],
  description: 'Stores secrets and grants access to them: one server, from HashiCorp’s repository.',
  versions: { default: '2.0', supported: Object.keys(published.versions) as [string, ...string[]], source: 'hashicorp' },
  supports: { os: ['debian', 'ubuntu'] },
  config,
  endpoints: ({ port, clusterPort, tls }) => [
    { name: 'vault', port, local: !tls },
    { name: 'vault-cluster', port: clusterPort, local: true },
  ],
  repository: hashicorp,
  listens: clients,
  files: {
    certificate: {
      path: TLS.certificate,
      content: ({ tls }) => (tls ? [tls.certificate, '\n'] : undefined),
      mode: '0640',
      owner: 'root:vault',
    },
    key: { path: TLS.key, content: ({ tls }) => (tls ? [tls.key, '\n'] : undefined), mode: '0640', owner: 'root:vault' },
    conf: {
      path: CONF,
      content: (config, { listening, host }) => confOf(config, listening, host.name),
      mode: '0640',
      owner: 'root:vault',
    },
  },
  // A person must unseal it, so a sealed vault is healthy, too. Status 2 means sealed, 1 means no answer.
  health: ({ port, tls }, { listening }) => [
    {
      title: 'vault answers',
      command: `code=0
${sh`vault status -tls-skip-verify ${`-address=${tls ? 'https' : 'http'}://${askAt(listening)}:${port}`}`} || code=$?
[ "$code" = 0 ] || [ "$code" = 2 ]`,
      expect: 'Sealed',
    },
  ],
});
