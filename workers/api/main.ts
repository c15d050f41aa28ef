import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createConnections } from '../../api/connections/serve-connections.js';
import { createApi } from '../../api/create-api.js';
import { readCertificate } from '../../api/listen/certificate.js';
import { serveApi } from '../../api/listen/serve-api.js';
import { findServedAddresses } from '../../api/listen/served-addresses.js';
import { authenticate } from '../../app/access/authenticate.js';
import { createFirstAdministrator, redeemCode } from '../../app/access/first-administrator.js';
import { recordSignIns } from '../../app/audit/record-sign-ins.js';
import { createDispatcher } from '../../app/dispatch.js';
import { METHODS } from '../../app/methods.generated.js';
import type { Principal } from '../../app/principal.js';
import { type ErrorDetails, messageOf, ProvisioningError } from '../../core/errors.js';
import { exitCodeOfError } from '../../core/exit-codes.js';
import { homeOf } from '../../home/home.js';
import { awaitEnd } from './await-end.js';
import { startCompat } from './compat/start-compat.js';
import { openPlatform } from './open-platform.js';
import { ensureOwnCertificate, keepOwnCertificate } from './own-certificate.js';
import { parseServeOptions } from './serve-options.js';

/** The only line of standard output: the server listens. */
interface Ready {
  /** An URL that clients can open. */
  url: string;
  /** The port, if it listens at all addresses of the machine. */
  everywhere?: number;
  /** The code for the first administrator; absent once there is an administrator. */
  code?: string;
  /** Authority that clients trust, if the home created the certificate itself. */
  authority?: string;
  /** URL of the orchestrator's API. */
  compat?: string;
}

/** The API server of a home, until SIGTERM. Standard output has one line of JSON, `{ result }` or `{ error }`. */
async function main(args: readonly string[]): Promise<void> {
  const asked = parseServeOptions(args);
  const home = homeOf();
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  const stop = awaitEnd(asked);
  const own = asked.http || asked.files ? undefined : await ensureOwnCertificate(home, asked.hostNames);
  const files = asked.files ?? own;
  const tls = files && { files, pair: await readCertificate(files) };
  const platform = await openPlatform(home, process.env, log);
  const { stores } = platform;
  const shared = {
    methods: METHODS,
    dispatcherFor: (principal: Principal, address?: string) => createDispatcher(platform.callFor(principal, address)),
    version: await readVersion(),
    ready: platform.ready,
    log,
  };
  // An address cannot be rebound to another server as a name can.
  const hostNames = new Set([...asked.hostNames, ...findServedAddresses(asked.address)]);
  const principalOf = (bearer: string, address?: string) =>
    authenticate(stores, bearer, recordSignIns(platform.records, address, log));
  const api = createApi({
    ...shared,
    ...{ principalOf, hostNames, redeem: (code) => redeemCode(stores, code, { records: platform.records }) },
    pages: { script: besides('api-docs/swagger-ui-bundle.js'), style: besides('api-docs/swagger-ui.css') },
    // Not for a certificate of the home: a browser would then use TLS for every port of localhost.
    isSecure: asked.files !== undefined,
    limits: platform.limits,
  });
  const { callFor, limits } = platform;
  const connections = createConnections({ callFor, principalOf, hostNames, log, limits });
  const serve = async () => {
    const server = await serveApi(api, {
      address: asked.address,
      hostNames: asked.hostNames,
      connections,
      ...(tls && { tls }),
      log,
    });
    const program = besides('../bin/provisioning.js');
    const compat = asked.compat && (await startCompat(asked.compat, shared, { stores, program }));
    return { server, compat, code: asked.code ? await createFirstAdministrator(stores) : undefined };
  };
  const { server, compat, code } = await serve().catch(async (error: unknown) => {
    await platform.close();
    throw error;
  });
  const result: Ready = {
    url: server.origin,
    ...(server.everywhere !== undefined && { everywhere: server.everywhere }),
    ...(code !== undefined && { code }),
    ...(own && { authority: own.authority }),
    ...(compat && { compat: compat.origin }),
  };
  process.stdout.write(`${JSON.stringify({ result })}\n`);
  const stopRenewing = own && keepOwnCertificate(home, asked.hostNames, log);
  await stop;
  stopRenewing?.();
  await compat?.close();
  await server.close();
  await platform.close();
}

/** Returns the path of a file beside this program. */
const besides = (name: string): string => join(fileURLToPath(new URL('.', import.meta.url)), name);

async function readVersion(): Promise<{ version: string; build: string }> {
  const [manifest, build] = await Promise.all([
    readFile(besides('../package.json'), 'utf8'),
    readFile(besides('build-id'), 'utf8'),
  ]);
  return { version: (JSON.parse(manifest) as { version: string }).version, build: build.trim() };
}

const detailsOf = (error: unknown): ErrorDetails =>
  error instanceof ProvisioningError
    ? error.details
    : { code: 'unexpected', blame: 'bug', what: 'serve the API', why: messageOf(error) };

await main(process.argv.slice(2)).catch((error: unknown) => {
  const details = detailsOf(error);
  process.stdout.write(`${JSON.stringify({ error: details })}\n`);
  process.exitCode = exitCodeOfError(details);
});
// Natively loaded libraries may keep the process alive after all is done.
process.exit();
