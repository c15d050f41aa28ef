import { registriesFor } from '../../../authoring/modules/registries.js';
import { inventories } from '../../../authoring/request/which-infra.js';
import { messageOf } from '../../../core/errors.js';
import type { TaskservRegistry } from '../../../core/registry.js';
import { ModuleProblems, type Origin, type OwnModule } from '../../../definition/modules/own-modules.js';
import { problemText } from '../../../definition/source/problem.js';
import { defineCommand, INFRA } from '../../command.js';
import { paintFor } from '../../program/screen.js';
import type { Session } from '../../program/session.js';
import { writeDocument } from '../../render/document.js';
import { renderTable, servicesOf, serviceTable } from '../../render/inventory.js';

export const command = defineCommand({
  options: [
    { ...INFRA, about: 'only of this infra' },
    { flags: '--available', about: 'all taskservs that a definition can use' },
  ],
  examples: ['taskserv list --infra shop', 't list --available'],
  async run(session, { flags }) {
    if (flags.available) return listAvailable(session);
    const services = servicesOf(await inventories(session, flags.infra));
    if (session.json) writeDocument(session, { services });
    else session.out.write(serviceTable(services, paintFor(session.out)));
    return 0;
  },
});

async function listAvailable(session: Session): Promise<number> {
  const { platform, own } = await registriesFor(session);
  const known = Object.values(platform).filter(({ name }) => !own.has(name));
  const rest = await Promise.all([...own].map((one) => loadedOrNoted(session, one)));
  const all = [...known.map((one) => rowOf(one, { origin: 'platform' })), ...rest.flat()];
  if (session.json) writeDocument(session, { taskservs: all });
  else {
    const from = ({ origin, instead }: Row) => (instead ? `${origin}, instead of the ${instead}'s` : origin);
    const rows = all.map((one) => [one.name, one.category, one.versions.join(', '), from(one), one.description]);
    session.out.write(renderTable(['TASKSERV', 'CATEGORY', 'VERSIONS', 'FROM', ''], rows, 'no taskservs', paintFor(session.out)));
  }
  return 0;
}

type Known = Pick<TaskservRegistry[string], 'name' | 'category' | 'description' | 'versions'>;
type Row = ReturnType<typeof rowOf>;

const rowOf = ({ name, category, versions, description }: Known, { origin, instead }: { origin: Origin; instead?: Origin }) => ({
  ...{ name, category, versions: versions.supported, default: versions.default, description, origin },
  ...(instead && { instead }),
});

/** Loads a taskserv. Prints a note if it is invalid, so that the others are still listed. */
async function loadedOrNoted(session: Session, [name, module]: [string, OwnModule]): Promise<Row[]> {
  try {
    return [rowOf((await module.load()).taskserv, module)];
  } catch (error) {
    const problems = error instanceof ModuleProblems ? error.problems.map(problemText) : [messageOf(error)];
    for (const problem of problems) session.note(`warning: ${name}: ${problem}`);
    return [];
  }
}
