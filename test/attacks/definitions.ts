import { CANARY, GOT_NOWHERE, layBait, WAYS } from '../support/escape-ways.js';

const TWIN = `export default { infra: reach({}) + 'shop' };`;

/**
 * Evaluates definitions in TypeScript that try to escape their engine. Honest definitions come before and after.
 *
 * @returns the number of definitions that reached something, or ended in an unexpected way
 */
export async function attackByDefinitions(say: (text: string) => void): Promise<number> {
  const bait = await layBait();
  let faults = 0;
  const judge = (title: string, right: boolean) => {
    if (right) return;
    faults += 1;
    say(`otherwise than it must: definition: ${title}`);
  };
  try {
    judge('an honest definition', (await bait.read('before', TWIN)).includes('"infra":"xshop"'));
    for (const [index, [title, way]] of WAYS.entries()) {
      const before = (await bait.reached()).length;
      const said = await bait.read(`way-${index}`, way);
      judge(title, GOT_NOWHERE.test(said) && !said.includes(CANARY) && (await bait.reached()).length === before);
    }
    judge('a second honest definition', (await bait.read('after', TWIN)).includes('"infra":"xshop"'));
  } finally {
    await bait.end();
  }
  say(`definitions: ${WAYS.length} attacks, ${faults} otherwise than they must`);
  return faults;
}
