import { lookup } from 'node:dns/promises';
import { BlockList, isIPv4 } from 'node:net';
import { inputError } from '../../core/errors.js';
import { MACHINE_CREDENTIALS } from '../../core/host/machine-credentials.js';

const MOST_REDIRECTS = 5;

/** Where clouds tell a machine its own credentials: no definition and no mirror has the worker ask there. */
const CLOSED = new BlockList();
for (const network of MACHINE_CREDENTIALS) {
  const [address = '', length] = network.split('/');
  CLOSED.addSubnet(address, Number(length), isIPv4(address) ? 'ipv4' : 'ipv6');
}

/**
 * The answer of a server of files, after its redirects, of which none leads from TLS to plain text.
 *
 * @param from how many bytes are there already: the answer may begin behind them
 * @throws inputError `artifact-refused`, or what `fetch` says of the network
 */
export async function answerFrom(url: string, from: number, signal: AbortSignal): Promise<Response> {
  let at = new URL(url);
  for (let count = 0; count <= MOST_REDIRECTS; count++) {
    await refuseClosed(at, url);
    const headers = { 'accept-encoding': 'identity', ...(from > 0 && { range: `bytes=${from}-` }) };
    const response = await fetch(at.href, { headers, redirect: 'manual', credentials: 'omit', signal });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    const next = URL.canParse(location, at.href) ? new URL(location, at) : undefined;
    if (!next || !['https:', 'http:'].includes(next.protocol) || (at.protocol === 'https:' && next.protocol === 'http:'))
      throw refused(url, 'it redirects to an address that is not an https:// URL');
    at = next;
  }
  throw refused(url, `it redirects more than ${MOST_REDIRECTS} times`);
}

async function refuseClosed({ hostname }: URL, url: string): Promise<void> {
  const found = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
  const closed = found.find(({ address }) => CLOSED.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'));
  if (closed) throw refused(url, `it redirects to ${closed.address}, which is not a file server`);
}

const refused = (on: string, why: string) =>
  inputError({ code: 'artifact-refused', what: 'fetch the artifact for the host', on, why });
