import { readContextSetting } from '../../authoring/settings/config-place.js';
import { inputError, messageOf, ProvisioningError, unreachableError } from '../../core/errors.js';
import { resolveEnvironment } from '../../settings/settings.js';
import { defineCommand } from '../command.js';
import type { Session } from '../program/session.js';
import { writeDocument } from '../render/document.js';
import { openInBrowser } from '../shared/open-in-browser.js';
import { pathInWebUi, readEngineRecord } from '../shared/web-ui.js';

export const command = defineCommand({
  arguments: [['[operation]', 'open the page of this operation']],
  options: [
    { flags: '--port <number>', about: 'port to listen on (default: a free port)', number: true },
    { flags: '--open', about: 'open it in the browser' },
  ],
  details:
    'Serves the Web UI of Temporal on this machine, with decrypted data, until Ctrl-C. The printed link opens it in one browser, once; Enter prints a new link. The engine stores only ciphertext: without this command the Web UI shows only names and times.',
  examples: ['ui', 'ui cluster-ensure-quickstart-mf3k2p9x4af1 --open', 'ui --port 8233'],
  async run(session, { args: [operation], flags }) {
    if (flags.port !== undefined && flags.port > 65_535) throw badPort(flags.port);
    const engine = readEngineRecord(session.home);
    if (!engine?.ui) throw noWebUi(engine?.address);
    const { namespace } = engine;
    if (operation !== undefined) await refuseUnknown(session, operation);
    const [{ openEncryption }, { serveWebUi }, { openStores }] = await Promise.all([
      import('../../encryption/open-encryption.js'),
      import('../../temporal-ui/serve-web-ui.js'),
      import('../../stores/open-stores.js'),
    ]);
    const env = await resolveEnvironment(session.home, session.env);
    const encryption = await openEncryption(session.home, env);
    const stores = await openStores(session.home, env);
    const codecOf = (name: string) => encryption.codec(name, stores.payloads, 'show');
    const served = await serveWebUi({ target: engine.ui, codecOf, namespace, port: flags.port });
    const link = () => served.link(pathInWebUi(namespace, operation));
    // From here, Ctrl-C closes the session, even before the link was opened.
    const ended = untilInterrupt(session, () => session.out.write(`Web UI: ${link()}\n`));
    if (session.json) writeDocument(session, { url: link(), origin: served.origin, target: engine.ui, namespace });
    else session.out.write(`Web UI: ${link()}\n${session.interactive ? 'Enter: a new link. ' : ''}Ctrl-C ends it.\n`);
    if (flags.open ?? (await readContextSetting<boolean>(session, 'ui.open'))) {
      await openInBrowser(link(), session.home, session.env).catch((error: unknown) => session.err.write(`${messageOf(error)}\n`));
    }
    await ended;
    await served.close();
    await stores.close();
    return 0;
  },
});

/**
 * Rejects an id that does not exist: its page would be empty. If the engine does not answer, the Web UI reports it.
 *
 * @throws inputError `unknown-operation`
 */
async function refuseUnknown(session: Session, id: string): Promise<void> {
  // Infras and batches have pages too.
  if (id.startsWith('infra/')) return;
  try {
    const { operations, batches } = await session.client();
    await operations.progress({ operation: id }).catch((error: unknown) =>
      batches.state({ batch: id }).catch(() => {
        throw error;
      }),
    );
  } catch (error) {
    if (isUnknown(error)) throw error;
  }
}

const isUnknown = (error: unknown) => error instanceof ProvisioningError && error.details.code === 'unknown-operation';

/** Waits for Ctrl-C or an external stop. Reports each Enter in the meantime. */
async function untilInterrupt(session: Session, onEnter: () => void): Promise<void> {
  if (session.interactive) session.stdin.on('data', onEnter);
  await new Promise<void>((resolve) => {
    session.onInterrupt(resolve);
    process.once('SIGTERM', resolve);
  });
  if (!session.interactive) return;
  session.stdin.off('data', onEnter);
  session.stdin.pause();
}

const badPort = (port: number) =>
  inputError({ code: 'bad-port', what: 'serve the Web UI', on: `port ${port}`, why: 'the highest port is 65535' });

const noWebUi = (address: string | undefined) =>
  address === undefined
    ? unreachableError({
        code: 'engine-not-running',
        what: 'serve the Web UI',
        why: 'no engine is running for this home',
        hint: 'provisioning up',
      })
    : inputError({
        code: 'no-web-ui',
        what: 'serve the Web UI',
        on: address,
        why: 'the address of the Web UI is not known for this Temporal service',
        hint: 'PROVISIONING_UI_URL=https://… provisioning up',
      });
