import { askPlans } from '../../../authoring/catalog/answers.js';
import { accountNamed } from '../../../authoring/catalog/provider-account.js';
import { inputError } from '../../../core/errors.js';
import type { CatalogPlan } from '../../../core/machine/catalog.js';
import { HOURS_A_MONTH, hourlyText, monthlyText } from '../../../core/machine/cost.js';
import type { AnyProvider } from '../../../core/machine/provider.js';
import { didYouMean } from '../../../definition/source/did-you-mean.js';
import { defineCommand, FRESH } from '../../command.js';
import { type Paint, paintFor } from '../../program/screen.js';
import { writeDocument } from '../../render/document.js';
import { renderTable } from '../../render/inventory.js';

export const command = defineCommand({
  arguments: [['<provider>', 'a provider, or one of its accounts: hetzner/prod']],
  options: [{ flags: '--zone <name>', about: 'zone of the prices (default: the default zone of servers)' }, FRESH],
  details: 'Prices are before tax. A definition names a plan by its size or its name.',
  examples: ['provider plans hetzner', 'p plans aws --zone eu-central-1 --json'],
  async run(session, { args: [written = ''], flags: { zone, fresh } }) {
    const { name, provider } = await accountNamed(session, written);
    const { at, answer } = await askPlans(session, name, { fresh });
    const zones = [...new Set(answer.plans.flatMap((plan) => Object.keys(plan.zones)))].sort();
    if (zone !== undefined && !zones.includes(zone))
      throw inputError({
        code: 'unknown-zone',
        what: 'list the plans',
        on: name,
        why: `the provider has no plans in a zone "${zone}"`,
        hint: didYouMean(zone, zones),
      });
    const plans = zone === undefined ? answer.plans : answer.plans.filter((plan) => zone in plan.zones);
    if (session.json) {
      writeDocument(session, { provider: name, at, ...answer, plans });
      return 0;
    }
    const paint = paintFor(session.out);
    const where = zone ?? answer.defaultZone ?? zones[0] ?? '';
    session.out.write(planTable(plans, provider, where, paint));
    session.out.write(paint('dim', `prices in ${where}, as of ${at.slice(0, 16).replace('T', ' ')} UTC; --fresh asks again\n`));
    return 0;
  },
});

function planTable(plans: readonly CatalogPlan[], { sizes }: AnyProvider, zone: string, paint: Paint): string {
  const rows = [...plans]
    .sort((a, b) => a.cores - b.cores || a.memoryMiB - b.memoryMiB || (a.name < b.name ? -1 : 1))
    .map(({ name, cores, memoryMiB, diskGiB, zones }) => {
      const price = zones[zone];
      const unknown = price === null ? 'unknown' : 'not sold';
      return [
        name,
        Object.entries(sizes).find(([, plan]) => plan.name === name)?.[0] ?? '',
        String(cores),
        `${memoryMiB / 1024} GiB`,
        diskGiB > 0 ? `${diskGiB} GiB` : '',
        price ? hourlyText(price) : unknown,
        price ? monthlyText({ ...price, monthly: price.monthly ?? price.hourly * HOURS_A_MONTH }) : unknown,
      ];
    });
  return renderTable(['PLAN', 'SIZE', 'CORES', 'MEMORY', 'DISK', 'HOURLY', 'MONTHLY'], rows, 'no plans', paint);
}
