import { type HostContext, listOffered, MANAGED_FILE_HEADER, type Peer, reachedAt } from '../../sdk/index.js';

export interface Backend {
  /** As `varnishadm backend.list` tells it. */
  name: string;
  address: string;
  port: number | string;
}

interface VclConfig {
  port: number;
  backend: { taskserv: string; offering: string };
  upstream?: string | undefined;
  healthPath?: string | undefined;
  purgeFrom: readonly string[];
}

/** Backends, in the order of the peers, without the server itself. */
export function backendsOf({ backend, upstream, port }: VclConfig, host: HostContext, peers: readonly Peer[]): Backend[] {
  if (upstream !== undefined) {
    const [, address = '', port = ''] = /^\[?(.*?)\]?:([0-9]+)$/.exec(upstream) ?? [];
    return [{ name: 'upstream', address, port }];
  }
  return listOffered(peers, backend.offering)
    .filter(({ taskserv }) => taskserv === backend.taskserv)
    .filter((peer) => !(peer.server === host.name && peer.endpoint.port === port))
    .filter((peer) => peer.server === host.name || !peer.endpoint.local)
    .map((peer) => ({
      name: `${peer.server}-${peer.taskserv.replace('@', '-')}`,
      address: reachedAt(peer, host),
      port: peer.endpoint.port,
    }));
}

/** The program by which varnish decides, in its language. */
export function vcl(config: VclConfig, backends: readonly Backend[]): string {
  const parts = backends.length > 0 ? [...backends.map((one) => backendVcl(one, config)), director(backends)] : [NOTHING];
  return `${MANAGED_FILE_HEADER}\n${[HEAD, ...parts, receive(config, backends), RETRY].join('\n\n')}\n`;
}

const HEAD = `vcl 4.1;

import directors;`;

const NOTHING = 'backend default none;';

const backendVcl = ({ name, address, port }: Backend, { healthPath }: VclConfig): string => `backend ${name} {
	.host = "${address}";
	.port = "${port}";${healthPath === undefined ? '' : probe(healthPath)}
}`;

// It is healthy until the first answers are there: a reload does not take it out.
const probe = (path: string): string => `
	.probe = {
		.url = "${path}";
		.interval = 2s;
		.timeout = 2s;
		.window = 5;
		.threshold = 3;
		.initial = 3;
	}`;

const director = (backends: readonly Backend[]): string => `sub vcl_init {
	new servers = directors.round_robin();
${backends.map(({ name }) => `	servers.add_backend(${name});`).join('\n')}
}`;

const receive = ({ purgeFrom }: VclConfig, backends: readonly Backend[]): string => `acl purgers {
${['127.0.0.1', ...purgeFrom].map(aclEntry).join('\n')}
}

sub vcl_recv {${backends.length > 0 ? '\n\tset req.backend_hint = servers.backend();' : ''}
	if (req.method == "PURGE") {
		if (client.ip !~ purgers) {
			return (synth(405, "Not allowed"));
		}
		return (purge);
	}
}`;

function aclEntry(network: string): string {
  const [address, length] = network.split('/');
  return `\t"${address}"${length === undefined ? '' : `/${length}`};`;
}

// The next one is asked where one fails, except for what may have had its effect.
const RETRY = `sub vcl_backend_error {
	if (bereq.retries < 2 && (bereq.method == "GET" || bereq.method == "HEAD")) {
		return (retry);
	}
}`;
