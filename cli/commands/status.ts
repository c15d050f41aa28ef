import { runEngine } from '../../client/engine-program/run-engine.js';
import type { EngineStatus, ServiceStatus, StoreSize } from '../../core/engine/engine.js';
import { sizeText } from '../../core/limits.js';
import type { Question } from '../../core/operation/control.js';
import { defineCommand } from '../command.js';
import { columns, type Paint, paintFor } from '../program/screen.js';
import { writeDocument } from '../render/document.js';
import { seconds } from '../render/result.js';
import { TRANSPORTS } from '../shared/web-ui.js';

export const command = defineCommand({
  details: 'Exit code 3 if something is wrong.',
  async run(session) {
    const { result, exitCode } = await runEngine<EngineStatus>(session, ['status'], () => {});
    if (session.json) writeDocument(session, { ...result, home: session.home.root });
    else session.out.write(render(result, session.home.root, paintFor(session.out)));
    return exitCode;
  },
});

const WAITS_FOR: Readonly<Record<Question, string>> = {
  decision: 'a decision',
  undo: 'a decision about its roll-back',
  approval: 'an approval',
  cancel: 'a decision about a cancel',
};

const amount = (thing: string, { count, bytes }: StoreSize): string =>
  `${count} ${thing}${count === 1 ? '' : 's'} (${sizeText(bytes)})`;

function startedBy({ unit, scope, active, enabled }: ServiceStatus): string {
  const when = scope === 'system' ? 'with the machine' : "with the user's session";
  return `${unit} (${scope} unit, ${active}), ${enabled ? when : 'when it is asked: it is not enabled'}`;
}

function render(
  {
    state,
    kind,
    address,
    ui,
    namespace,
    profile,
    store,
    server,
    worker,
    api,
    supervisor,
    service,
    transport,
    asking = [],
    withoutWorker = [],
    pollers,
    stored,
    warnings = [],
    problems,
  }: EngineStatus,
  home: string,
  paint: Paint,
): string {
  const own = server ? `Temporal ${server.version}, pid ${server.pid}, up ${seconds(server.uptimeSeconds * 1000)}` : kind;
  const rows = [
    [
      'engine',
      [paint(state === 'running' ? 'green' : 'red', state), address && `at ${address}`, own && `(${own})`]
        .filter(Boolean)
        .join(' '),
    ],
    [
      'worker',
      worker ? `pid ${worker.pid}, build ${worker.build}${worker.current ? '' : ' (not the current one)'}` : paint('red', 'none'),
    ],
    ...(api ? [['API', `${api.url ?? 'starts'}, pid ${api.pid}${api.current ? '' : ' (not the current build)'}`]] : []),
    ['supervisor', supervisor ? `pid ${supervisor.pid}` : 'none: nobody starts the worker again when it dies'],
    ['started by', service ? startedBy(service) : 'hand: after a reboot, run `provisioning up`, or once `up --install-service`'],
    ['polling', pollers.length === 0 ? 'nobody' : pollers.map(({ identity }) => identity).join(', ')],
    ...(transport ? [['transport', paint(transport === 'mutual-tls' ? 'green' : 'yellow', TRANSPORTS[transport])]] : []),
    ...(namespace ? [['namespace', namespace]] : []),
    ...(profile ? [['profile', profile]] : []),
    ...(store ? [['store', store]] : []),
    ...(stored ? [['stored', `${amount('large payload', stored.payloads)}, ${amount('page', stored.pages)} of batches`]] : []),
    ...(ui ? [['Web UI', ui.startsWith('unix:') ? 'provisioning ui' : `provisioning ui (${ui} has ciphertext only)`]] : []),
    ['home', home],
  ];
  const lines = columns(rows.map(([title = '', text = '']) => [paint('dim', title), text]));
  const said = [
    ...asking.map(
      ({ operation, infra, question, batch }) =>
        `${paint('yellow', 'waiting:')} ${operation}${infra ? ` on ${infra}` : ''} waits for ${WAITS_FOR[question]}: provisioning ${batch ? 'batch' : 'workflow'} status ${operation}`,
    ),
    ...withoutWorker.map(({ operation, since }) => `${paint('yellow', 'waiting:')} ${operation} waits for a worker since ${since}`),
    ...warnings.map((warning) => `${paint('yellow', 'warning:')} ${warning}`),
    ...problems.map((problem) => `${paint('red', 'problem:')} ${problem}`),
  ];
  return `${[...lines, ...said].join('\n')}\n`;
}
