import { listOf, named } from '../../../app/request/named.js';
import { inventoryOf, subject } from '../../../app/request/which-infra.js';
import type { ServiceVersions } from '../../../app/versions/service-versions.js';
import type { Definition } from '../../../core/definition/definition.js';
import { absentError, unreachableError } from '../../../core/errors.js';
import { defineCommand, NARROWED, UPDATE } from '../../command.js';
import { ON_SERVERS } from '../../shared/ensure.js';
import { operate } from '../../shared/operate.js';
import { lookAtVersions } from '../../shared/versions.js';

export const command = defineCommand({
  arguments: [['<name>', 'a taskserv that is installed']],
  options: [...NARROWED, ON_SERVERS, ...UPDATE],
  details:
    'Looks at the hosts, shows what would be done, asks, and installs the newest Debian package that the archive of each host has for the version that the definition names; as any change, in waves. Another version is named in the definition, and applied: `taskserv outdated` lists them.',
  examples: [
    'taskserv upgrade redis',
    'taskserv upgrade nginx --infra shop --server web-1 --check',
    'taskserv upgrade redis --yes',
  ],
  async run(session, { args: [name], flags }) {
    const about = await subject(session, flags);
    const inventory = await inventoryOf(session, about.infra);
    const definition = about.definition ?? inventory.definition;
    if (!definition) throw noDefinition(about.infra);
    const chosen = await named(session, about, { taskservs: [name], servers: listOf([flags.server ?? '']) });
    const looked = await lookAtVersions(session, [inventory], { taskserv: name });
    const meant = looked.filter(({ server }) => chosen.servers === undefined || chosen.servers.includes(server));
    for (const { server, why } of meant) if (why !== undefined) throw notSeen(name, server, why);
    const due = meant.filter(({ newer }) => newer !== undefined);
    if (due.length === 0 && !session.json) session.out.write(`${name}: no host has a newer package of it\n`);
    const wanted = withUpgrades(definition, due);
    return operate(session, flags, {
      kind: 'taskserv',
      infra: about.infra,
      intent: { verb: 'ensure', ...chosen },
      definition: wanted,
      ...(due.length === 0 && { harmless: true }),
    });
  },
});

/** The definition, with what is to become of packages. */
function withUpgrades(definition: Definition, due: readonly ServiceVersions[]): Definition {
  const wanted = structuredClone(definition);
  for (const { server, taskserv, newer } of due) {
    const spec = wanted.servers.find(({ name }) => name === server)?.taskservs.find(({ name }) => name === taskserv);
    if (spec && newer) spec.upgrade = newer;
  }
  return wanted;
}

const noDefinition = (infra: string): Error =>
  absentError({
    code: 'no-definition',
    what: 'upgrade',
    on: infra,
    why: 'no definition of it was applied',
    hint: 'name one with --file',
  });

const notSeen = (taskserv: string, server: string, why: string): Error =>
  unreachableError({ code: 'host-unreachable', what: `look which version of ${taskserv} runs`, on: server, why });
