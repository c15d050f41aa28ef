import * as z from 'zod';
import {
  addressesOf,
  debianVersions,
  duration,
  endpoint,
  hostPart,
  hostPort,
  type ListenAddress,
  MANAGED_FILE_HEADER,
  network,
  packageService,
  port,
  type Step,
  sh,
  size,
} from '../../sdk/index.js';
import { backendsOf, vcl } from './vcl.js';

const VCL = '/etc/varnish/provisioning.vcl';
const DROP_IN = '/etc/systemd/system/varnish.service.d/provisioning.conf';

const config = z
  .strictObject({
    port: port(6081).describe('TCP port for requests'),
    adminPort: port(6082).describe('TCP port of varnishadm, on loopback; the secret in /etc/varnish/secret grants access'),
    backend: endpoint({ taskserv: 'nginx', offering: 'http' }).describe('Backends, found in the definition on any servers'),
    upstream: hostPort('write an upstream as "host:port", an IPv6 address in brackets')
      .optional()
      .describe('Backend server outside the definition, instead of `backend`'),
    healthPath: z
      .string()
      .regex(/^\/[A-Za-z0-9._~/-]*$/, { error: 'the path of a URL begins with /' })
      .optional()
      .describe('Path that a server must answer with 200 to get requests; default: no check'),
    memory: size('256 MiB').describe('Maximum memory of the cache'),
    ttl: duration('2 m').describe('Lifetime of an answer without its own lifetime'),
    grace: duration('10 s').describe('Time for which a stale answer is served during the fetch of a new one'),
    purgeFrom: z
      .array(network())
      .default([])
      .describe('Clients that may remove an answer with a PURGE request, in addition to the host itself on loopback'),
  })
  .refine(({ port, adminPort }) => port !== adminPort, { path: ['adminPort'], error: 'port and adminPort must differ' })
  .meta({ examples: [{ upstream: '127.0.0.1:3000', memory: '1 GiB', ttl: '5 m' }] });

type Config = z.output<typeof config>;

function dropIn({ port, adminPort, memory, ttl, grace }: Config, listening: ListenAddress): string {
  const command = [
    '/usr/sbin/varnishd -j unix,user=vcache -F',
    ...(addressesOf(listening) ?? ['']).map((address) => `-a ${hostPart(address)}:${port}`),
    `-T 127.0.0.1:${adminPort} -S /etc/varnish/secret`,
    `-f ${VCL}`,
    `-s malloc,${memory}`,
    `-p default_ttl=${ttl} -p default_grace=${grace}`,
  ];
  return `${MANAGED_FILE_HEADER}\n[Service]\nExecStart=\nExecStart=${command.join(' ')}\n`;
}

/** On success it prints a program in C of some thousand lines. */
const CHECK = `${sh`out=$(varnishd -C -f ${VCL} 2>&1)`} || { printf '%s\\n' "$out" >&2; exit 1; }`;

const service = packageService({
  name: 'varnish',
  category: 'web',
  holds: [],
  description: 'Caches the answers of web servers in memory.',
  versions: debianVersions({ 12: '7.1', 13: '7.7' }),
  supports: { os: ['debian'] },
  after: ['nginx'],
  config,
  uses: ({ backend, upstream }) => (upstream === undefined ? [backend.offering] : []),
  endpoints: ({ port, adminPort }) => [
    { name: 'http', port, path: '/' },
    { name: 'varnish-admin', port: adminPort, local: true },
  ],
  furtherPackages: ['curl'],
  listens: 'http',
  files: {
    vcl: { path: VCL, content: (config, { host, peers }) => vcl(config, backendsOf(config, host, peers)), reload: true },
    dropIn: { path: DROP_IN, content: (config, { listening }) => dropIn(config, listening) },
  },
  check: CHECK,
  health: (config, { host, peers }) => {
    const url = `http://127.0.0.1:${config.port}${config.healthPath ?? '/'}`;
    const isFound = config.upstream === undefined && backendsOf(config, host, peers).length > 0;
    return [
      {
        title: 'varnish answers',
        command: sh`curl -sS -o /dev/null -D - --max-time 4 --noproxy ${'*'} ${url}`,
        expect: 'X-Varnish: ',
      },
      ...(isFound
        ? [
            {
              title: 'varnish reaches a server behind it',
              command: `status=$(${sh`curl -sS -o /dev/null -w ${'%{http_code}'} --max-time 4 --noproxy ${'*'} ${url}`})
[ "$status" != 503 ] || { echo "it answers 503" >&2; exit 1; }`,
            },
          ]
        : []),
    ];
  },
});

const RELOAD: Step = {
  title: 'Reload varnish: servers behind it have other addresses',
  service: { name: 'varnish', state: 'running', enabled: true, change: 'reload', reads: [VCL, DROP_IN] },
};

/** Keeps the answers of web servers in memory. */
export const varnish: typeof service = {
  ...service,

  plan(config, found, context) {
    const steps = service.plan(config, found, context);
    const { host, peers, moved = [] } = context;
    // It resolves names when it reads its program, and never again.
    const isMoved = backendsOf(config, host, peers).some(({ address }) => moved.includes(address));
    return steps.length > 0 || !isMoved ? steps : [RELOAD];
  },
};
