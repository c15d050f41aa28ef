import { Liquid } from 'liquidjs';

/** Values by the first two parts of their names. */
export type Scope = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const engine = new Liquid({
  ownPropertyOnly: true,
  strictVariables: true,
  strictFilters: true,
  parseLimit: 100_000,
  renderLimit: 1_000,
  memoryLimit: 4_194_304,
});
const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
engine.registerFilter('upper', (value) => text(value).toUpperCase());
engine.registerFilter('lower', (value) => text(value).toLowerCase());
engine.registerFilter('trim', (value) => text(value).trim());

/** Liquid knows no `@` in names: that of an instance (`taskservs.app@shop.port`) is written as it knows it. */
const asLiquid = (expression: string): string =>
  expression.replace(/("[^"]*"|'[^']*')|\.([A-Za-z_][\w-]*@[\w-]+)/g, (_, literal, name) => literal ?? `["${name}"]`);

/** The value of an expression that was read before: its names are in the scope, and its filters are ours. */
export const evaluate = (expression: string, scope: Scope): unknown => engine.evalValueSync(asLiquid(expression), scope);
