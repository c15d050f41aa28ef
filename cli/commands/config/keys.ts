import { REGISTRY } from '../../../settings/registry/keys.js';
import { isServiceField, type Key, variablesOf } from '../../../settings/registry/registry.js';
import { typeText } from '../../../settings/registry/value-types.js';
import { defineCommand } from '../../command.js';
import { columns } from '../../program/screen.js';
import { valueText } from '../../render/config/texts.js';
import { writeDocument } from '../../render/document.js';

export const command = defineCommand({
  options: [{ flags: '--services', about: 'list taskserv fields instead of product settings' }],
  details:
    'Lists every setting with type, default, scope and meaning. Fields of taskservs are settings as well: they are defaults for the configuration in definitions. Settings and fields are counted separately.',
  examples: ['config keys', 'config keys --services', 'config keys --json'],
  async run(session, { flags }) {
    const all = [...REGISTRY.keys.values()];
    const product = all.filter((key) => !isServiceField(key));
    const services = all.filter(isServiceField);
    const counts = { productKeys: product.length, serviceFields: services.length };
    if (session.json) {
      writeDocument(session, { counts, keys: product.map(document), serviceFields: services.map(document) });
      return 0;
    }
    const rows = (flags.services ? services : product).map((key) => [
      key.name,
      key.default === undefined ? (key.otherwise ?? '') : short(valueText(key, key.default)),
      ...(flags.services ? [] : [key.scope]),
      `${key.description} (${typeText(key.type)}${key.unit ? `, ${key.unit}` : ''})`,
    ]);
    const head = ['KEY', 'DEFAULT', ...(flags.services ? [] : ['SCOPE']), 'WHAT'];
    session.out.write(`${columns([head, ...rows]).join('\n')}\n`);
    const other = flags.services ? '' : ': config keys --services';
    session.note(`${counts.productKeys} settings of the product, ${counts.serviceFields} fields of taskservs${other}`);
    return 0;
  },
});

const document = ({ former: _, alias, ...key }: Key) => ({ ...key, variables: variablesOf({ ...key, alias }) });

/** Maximum characters of a default; `--json` shows all of it. */
const LONGEST = 40;
function short(text: string): string {
  const line = text.replaceAll('\n', ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
