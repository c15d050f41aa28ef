import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions as TlsOptions } from 'node:tls';
import type { ConnectionOptions } from '@temporalio/client';
import { inputError, messageOf, type ProvisioningError, unreachableError } from '../../core/errors.js';

/** Status codes of gRPC. */
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;
const PROBE_MS = 4_000;
const WHAT = 'connect to Temporal';

/** Of Node's TLS, in our words. */
const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself, and not known here',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an authority that is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an authority that is not known here',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/**
 * Explains why a Temporal service cannot be reached, so that a person can fix it. The SDK reports only a timeout, so
 * this function repeats the connection step by step.
 */
export async function connectionFault(error: unknown, options: ConnectionOptions, service?: string): Promise<ProvisioningError> {
  const on = service ?? options.address ?? '127.0.0.1:7233';
  const code = codeOf(error) ?? codeOf((error as { cause?: unknown })?.cause);
  const cause = { cause: error };
  if (code === UNAUTHENTICATED || code === PERMISSION_DENIED) {
    const given = options.apiKey ? 'the API key' : 'the request without an API key';
    const hint = options.apiKey
      ? 'check api_key and namespace of the profile (TEMPORAL_API_KEY, TEMPORAL_NAMESPACE): the key may be expired, or for another namespace'
      : 'set api_key of the profile (TEMPORAL_API_KEY), or check the rights of its client certificate and its namespace (TEMPORAL_NAMESPACE)';
    return inputError(
      { code: 'temporal-refused', what: WHAT, on, why: `the service rejects ${given}: ${shortOf(error)}`, hint },
      cause,
    );
  }
  const found = await walk(on, options.tls).catch((thrown: unknown) => thrown);
  const { code: reason = '' } = (found ?? {}) as { code?: string };
  const certificate = CERTIFICATES[reason];
  if (certificate || /^ERR_(SSL|TLS)_/.test(reason) || reason === 'EPROTO' || reason === 'NO_TLS') {
    const why = certificate ?? (reason === 'NO_TLS' ? messageOf(found) : `the TLS handshake failed (${messageOf(found)})`);
    const hint = 'check tls of the profile: server_ca_cert_path, server_name, client_cert_path (TEMPORAL_TLS_…)';
    return inputError({ code: 'temporal-certificate', what: WHAT, on, why, hint }, cause);
  }
  const why = found instanceof Error ? messageOf(found) : shortOf(error);
  const hint = /^(127\.0\.0\.1|localhost|\[::1\]):/.test(on)
    ? '`provisioning status` shows the state and `provisioning logs engine` the cause, such as a full disk; `provisioning up` starts the engine'
    : 'check TEMPORAL_ADDRESS, TEMPORAL_PROFILE and its credentials, or unset them to use your own engine';
  return unreachableError({ code: 'engine-unreachable', what: WHAT, on, why, hint }, cause);
}

/** Opens the same connection as the SDK; rejects if that fails. */
async function walk(address: string, tls: ConnectionOptions['tls']): Promise<void> {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  const port = Number(address.slice(at + 1));
  if (at < 1 || !Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error('it is not of the form HOST:PORT');
  }
  if (!tls) {
    const socket = await opened(connectTcp({ host, port }), 'connect');
    const spoken = await answerOf(socket);
    if (spoken !== 'something')
      throw Object.assign(new Error('it wants TLS, and the connection is set up without'), { code: 'NO_TLS' });
    return;
  }
  const { serverNameOverride, serverRootCACertificate, clientCertPair } = tls === true ? ({} as never) : tls;
  const options: TlsOptions = {
    host,
    port,
    ALPNProtocols: ['h2'],
    ca: serverRootCACertificate && Buffer.from(serverRootCACertificate),
    cert: clientCertPair && Buffer.from(clientCertPair.crt),
    key: clientCertPair && Buffer.from(clientCertPair.key),
    servername: serverNameOverride ?? (/^[\d.]+$|:/.test(host) ? undefined : host),
    ...(serverNameOverride ? { checkServerIdentity: undefined } : {}),
  };
  const socket = await opened(connectTls(options), 'secureConnect');
  // A server that requires a client certificate reports that only after the handshake.
  if ((await answerOf(socket)) !== 'something') {
    const why = clientCertPair
      ? 'the service closes the connection: it may not trust our certificate'
      : 'the service closes the connection: it may require a certificate';
    throw Object.assign(new Error(why), { code: 'NO_TLS' });
  }
}

const opened = <S extends Socket>(socket: S, event: string) =>
  new Promise<S>((resolve, reject) => {
    socket.setTimeout(PROBE_MS, () => socket.destroy(new Error(`nothing answers within ${PROBE_MS / 1000} s`)));
    // Stays: an error after the last word has a listener too.
    socket.on('error', reject).once(event, () => resolve(socket));
  });

/**
 * Returns the reaction of a server to the HTTP/2 preface: `tls` for a TLS alert, `nothing` if it closes the
 * connection.
 */
function answerOf(socket: Socket): Promise<'tls' | 'nothing' | 'something'> {
  return new Promise((resolve, reject) => {
    const end = (answer: 'tls' | 'nothing' | 'something') => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('error', reject);
    // A TLS alert: the server expected a TLS hello.
    socket.once('data', (data: Buffer) => end(data[0] === 0x15 ? 'tls' : 'something'));
    socket.once('close', () => end('nothing'));
    socket.once('end', () => end('nothing'));
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0');
  });
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code;

/** Returns gRPC's message without its number, and without the SDK's wrapper. */
const shortOf = (error: unknown): string =>
  (error as { details?: string })?.details ||
  (error as { cause?: { details?: string } })?.cause?.details ||
  messageOf(error).replace(/^\d+ [A-Z_]+: /, '');
