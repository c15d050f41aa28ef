import type { Companion } from '../../core/taskserv/taskserv.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Findings } from '../source/findings.js';
import type { Furnished, Making } from './furnished.js';
import type { Placed } from './settle-services.js';

/** Adds what taskservs bring along on servers of their choice, and what was decided with that about their configurations. */
export function addCompanions(all: readonly Furnished[], { taskservs }: Pick<Making, 'taskservs'>, findings: Findings): void {
  const bringing = new Set(all.flatMap(({ placed }) => placed.flatMap(({ taskserv }) => (taskserv.companions ? [taskserv] : []))));
  for (const taskserv of bringing) {
    const own = all.flatMap(({ server, placed }) =>
      placed
        .filter((one) => one.taskserv === taskserv && one.spec.config !== undefined)
        .map((one) => ({ server: server.spec.name, placed: one, config: one.spec.config })),
    );
    const [first] = own;
    if (!first || !taskserv.companions) continue;
    const { configs, companions } = taskserv.companions.of(own);
    own.forEach(({ placed }, index) => {
      placed.spec.config = configs[index];
    });
    for (const companion of companions) add(companion, first.placed);
    const brought = companions.map(({ server, taskserv }) => ({ server, taskserv }));
    for (const { server, placed } of own) {
      // Narrower operations need to know where these are, too.
      const others = brought.filter((one) => one.server !== server);
      if (others.length > 0) placed.spec.refersTo = [...(placed.spec.refersTo ?? []), ...others];
    }
  }

  function add({ taskserv: name, server, config }: Companion, by: Placed): void {
    const there = all.find((one) => one.server.spec.name === server);
    const taskserv = taskservs[name];
    if (!there) {
      const names = all.map((one) => one.server.spec.name);
      findings.value(
        [...by.path, 'config'],
        `"${by.taskserv.name}" needs the server "${server}", which is not there`,
        didYouMean(server, names),
      );
      return;
    }
    if (!taskserv) throw new Error(`${by.taskserv.name} brings ${name}, which there is none of`);
    if (there.placed.some((one) => one.taskserv.name === name)) {
      findings.value(by.path, `"${server}" has "${name}" of another application already`, 'name another server for one of them');
      return;
    }
    const { versions, requires = [], after = [] } = taskserv;
    there.placed.push({
      taskserv,
      path: by.path,
      spec: {
        ...{ name, version: versions.default, config, endpoints: [] },
        after: [...new Set([...requires, ...after])],
        uses: [],
        ...(taskserv.worksOn && { worksOn: [...taskserv.worksOn] }),
        requiredBy: by.taskserv.name,
      },
    });
  }
}
