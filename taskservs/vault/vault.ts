import {
  askAt,
  debian,
  defineTaskserv,
  ensurePackage,
  type Facts,
  type FoundFile,
  type FoundPackage,
  type HealthContext,
  inputError,
  type ListenAddress,
  listeningOn,
  sh,
  vendorService,
} from '../../sdk/index.js';
import { hashicorp } from './hashicorp.js';
import { ADMINISTER } from './vault-administer.js';
import { type FoundMember, memberFact } from './vault-ask.js';
import { config, type VaultConfig } from './vault-config.js';
import { planMember, vaultGroup } from './vault-group.js';
import { CLUSTER_LINE, memberHcl, readJoins, singleHcl } from './vault-hcl.js';
import { CONF, TLS, TOKEN } from './vault-places.js';
import published from './versions.json' with { type: 'json' };

const clients = ({ tls }: VaultConfig, context: HealthContext): ListenAddress =>
  tls ? listeningOn('vault', 'vault', context) : 'loopback';

const peers = ({ cluster }: VaultConfig, context: HealthContext): ListenAddress =>
  cluster === undefined ? 'loopback' : listeningOn('vault', 'vault-cluster', context);

/** The members that one asks to let it in. One that has joined keeps those that it has: a change would seal it for nothing. */
function joinsOf({ host, group }: HealthContext, present: FoundFile | undefined): string[] {
  const members = group?.members ?? [];
  const own = members.find(({ server }) => server === host.name)?.found as { member?: FoundMember } | undefined;
  const kept = own?.member?.full ? readJoins(present?.content ?? '') : [];
  return kept.length > 0 ? kept : members.filter(({ server }) => server !== host.name).map(({ address }) => address);
}

/** One server, or one of several. */
const member = vendorService<VaultConfig>({
  name: 'vault',
  category: 'security',
  holds: ['/opt/vault/data'],
  description: 'Stores secrets and grants access to them, from HashiCorp’s repository: on one server, or on several.',
  versions: { default: '2.0', supported: Object.keys(published.versions) as [string, ...string[]], source: 'hashicorp' },
  supports: { os: ['debian', 'ubuntu'] },
  config,
  endpoints: ({ port, clusterPort, tls, cluster }) => [
    { name: 'vault', port, local: !tls },
    { name: 'vault-cluster', port: clusterPort, local: cluster === undefined },
  ],
  repository: hashicorp,
  listens: clients,
  files: {
    // A reload does not seal it.
    certificate: {
      path: TLS.certificate,
      content: ({ tls }) => (tls ? [tls.certificate, '\n'] : undefined),
      mode: '0640',
      owner: 'root:vault',
      reload: true,
    },
    key: {
      path: TLS.key,
      content: ({ tls }) => (tls ? [tls.key, '\n'] : undefined),
      mode: '0640',
      owner: 'root:vault',
      reload: true,
    },
    authority: {
      path: TLS.authority,
      content: ({ tls }) => (tls?.authority ? [tls.authority, '\n'] : undefined),
      mode: '0640',
      owner: 'root:vault',
      // Only when it joins, and for the questions of the platform.
      isRead: () => false,
    },
    token: {
      path: TOKEN,
      content: ({ token }) => (token ? [token, '\n'] : undefined),
      mode: '0600',
      owner: 'root:root',
      isRead: () => false,
    },
    conf: {
      path: CONF,
      content: (config, { listening, files, ...context }) =>
        config.cluster === undefined
          ? singleHcl(config, listening, context.host.name)
          : memberHcl(config, context.host.name, {
              ...{ cluster: config.cluster, clients: listening, peers: peers(config, context) },
              others: joinsOf(context, files.conf),
            }),
      mode: '0640',
      owner: 'root:vault',
    },
  },
  health: ({ port, tls, cluster }, { listening }) =>
    cluster === undefined
      ? [
          {
            // A person must unseal it, so a sealed vault is healthy, too. Status 2 means sealed, 1 means no answer.
            title: 'vault answers',
            command: `code=0
${sh`vault status -tls-skip-verify ${`-address=${tls ? 'https' : 'http'}://${askAt(listening)}:${port}`}`} || code=$?
[ "$code" = 0 ] || [ "$code" = 2 ]`,
            expect: 'Sealed',
          },
        ]
      : [
          {
            title: `vault serves in the cluster ${cluster}, or waits to be initialized`,
            command: `${ADMINISTER}
find_ends
administer health "$AT" "$NAME"`,
            expect: 'ready',
          },
        ],
});

/** A member alone would have no majority, or would be another server with the same secrets. */
const refuseSingle = (server: string, by: string) =>
  inputError({
    code: 'groups-differ',
    what: 'plan vault without a cluster',
    on: server,
    why: `it is a member of a cluster, as ${by} says`,
    hint: 'set "cluster" again, or remove the service first, then move /opt/vault/data away',
  });

/** Keeps secrets. */
export const vault = defineTaskserv<VaultConfig, Facts>({
  ...member,
  group: vaultGroup,
  // Members reach each other.
  uses: ({ cluster }) => (cluster === undefined ? [] : ['vault', 'vault-cluster']),
  facts: (config, version) => ({
    ...member.facts(config, version),
    // A member is administered by a program in Python.
    ...(config.cluster === undefined ? { single: memberFact() } : { python3: debian('python3') }),
  }),
  plan(config, found, context) {
    const { cluster } = config;
    const steps = member.plan(config, found, context);
    if (cluster === undefined) {
      const { id, full } = found.single as FoundMember;
      if ((found.conf as FoundFile).content.includes(`\n${CLUSTER_LINE}`)) throw refuseSingle(context.host.name, CONF);
      if (id !== undefined && full) throw refuseSingle(context.host.name, 'its data');
      return steps;
    }
    const all = [...ensurePackage(found.python3 as FoundPackage), ...steps];
    return planMember({ ...config, cluster }, context, { steps: all, listening: peers(config, context) });
  },
});
