import { liveServices } from '../../app/infra/live-services.js';
import { definitionFrom } from '../../authoring/definition/definitions.js';
import { findInventory } from '../../authoring/request/which-infra.js';
import type { Definition } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import { addSeenGroups, createGraph, type Graph, renderDot, renderMermaid } from '../../definition/rewrite/graph.js';
import { DEFINITION_INPUT, defineCommand } from '../command.js';
import type { Session } from '../program/session.js';
import { writeDocument } from '../render/document.js';
import { exitCodeOf, LOOK_OPTIONS, LOOKING_DETAILS, look } from '../shared/status.js';
import { forbidGitServers, NO_GIT_SERVERS } from '../shared/without-git-servers.js';

const [, TIMEOUT] = LOOK_OPTIONS;

export const command = defineCommand({
  arguments: [['<file>', 'definition file (.yaml, .yml, .json, .toml, .ts, .k, .ncl)']],
  options: [
    { flags: '--format <format>', about: 'output format (default: mermaid)', choices: ['mermaid', 'dot'] },
    { flags: '--now', about: 'ask the members of groups on their hosts: which serve, and which leads' },
    TIMEOUT,
    ...DEFINITION_INPUT,
  ],
  details: [
    'Servers are boxes with their services. An arrow leads from a service to the services before it on its server, and to the endpoints that it uses. A group of services is a node with a dashed line to each member. With --now it asks the hosts of the infra as `cluster status` does. The node then says how many members serve and which leads. Each member says how it is. With --json it prints the same as data.',
    `With --now: ${LOOKING_DETAILS}`,
    NO_GIT_SERVERS,
  ].join(' '),
  examples: ['graph infra.yaml', 'graph infra.yaml --format dot > infra.dot', 'graph infra.yaml --now'],
  async run(session, { args: [file = ''], flags }) {
    if (flags.timeout !== undefined && !flags.now) throw timeoutWithoutLook();
    const definition = await definitionFrom(forbidGitServers(session), file, flags);
    const drawn = createGraph(definition);
    const { graph, exitCode } = flags.now
      ? await lookNow(session, definition, drawn, flags.timeout)
      : { graph: drawn, exitCode: 0 };
    if (session.json) writeDocument(session, graph);
    else session.out.data(flags.format === 'dot' ? renderDot(graph) : renderMermaid(graph));
    return exitCode;
  },
});

const timeoutWithoutLook = () =>
  inputError({
    ...{ code: 'bad-arguments', what: 'draw the graph', on: '--timeout' },
    why: 'it asks hosts only with --now',
    hint: 'add --now, or leave --timeout out',
  });

/** Asks the members of the groups; without groups, nothing is asked. */
async function lookNow(
  session: Session,
  { infra }: Pick<Definition, 'infra'>,
  graph: Graph,
  timeout: number | undefined,
): Promise<{ graph: Graph; exitCode: number }> {
  const { groups = [] } = graph;
  if (groups.length === 0) return { graph, exitCode: 0 };
  const inventory = await findInventory(session, infra);
  const taskservs = [...new Set(groups.map(({ taskserv }) => taskserv))];
  const looked = await look(session, [inventory], { taskservs, clouds: false, timeout });
  const seen = liveServices(looked).flatMap(({ taskserv, group }) => (group ? [{ taskserv, group }] : []));
  return { graph: addSeenGroups(graph, seen), exitCode: exitCodeOf(looked) };
}
