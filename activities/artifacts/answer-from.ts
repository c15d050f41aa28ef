import { lookup } from 'node:dns/promises';
import { BlockList, isIPv4 } from 'node:net';
import { inputError } from '../../core/errors.js';
import { MACHINE_CREDENTIALS } from '../../core/host/machine-credentials.js';

const MOST_REDIRECTS = 5;

/**
 * Addresses at which clouds give a machine its own credentials. No definition and no mirror may make the worker query
 * them.
 */
const CLOSED = new BlockList();
for (const network of MACHINE_CREDENTIALS) {
  const [address = '', length] = network.split('/');
  CLOSED.addSubnet(address, Number(length), isIPv4(address) ? 'ipv4' : 'ipv6');
}

/**
 * Requests a file and follows redirects, but none from TLS to plain text.
 *
 * @param from number of bytes that exist already: the answer may begin after them
 * @throws inputError `artifact-refused`, or the network error of `fetch`
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
