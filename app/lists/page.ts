import * as z from 'zod';
import type { Call, CallMethod, Pages } from '../method.js';

/** Items of a page, at most. */
export const MOST = 1_000;
/** Characters of a cursor, at most. */
export const CURSOR_LENGTH = 16_384;

const cursor = z.string().min(1).max(CURSOR_LENGTH);

/** The fields of every list. */
export const pageFields = {
  after: cursor.optional().describe('The `next` of the page before'),
  limit: z.int().min(0).max(MOST).optional().describe('Maximum number of items in the page'),
};

/** The fields of lists whose items have a name. */
export const namedFields = {
  ...pageFields,
  filter: z.strictObject({ name: z.string().max(1_000).optional().describe('Text that the name contains') }).optional(),
  sort: z.enum(['ascending', 'descending']).optional().describe('Order of the names'),
};

/** A page of a list. */
export interface Page<Item> {
  items: Item[];
  /** Absent at the end of the list. */
  next?: string;
}

/** Lists that a page has beside its items, by field. */
type Beside = Readonly<Record<string, z.ZodArray<z.ZodType>>>;
/** Without any, the fields are inferred as any text. */
type Declares<Lists extends Beside> = string extends keyof Lists ? unknown : Lists;
type BesideOf<Lists extends Beside> = string extends keyof Lists ? unknown : { [Field in keyof Lists]: z.output<Lists[Field]> };

type PageSchema<Item extends z.ZodType, Lists extends Beside> = z.ZodObject<
  { items: z.ZodArray<Item>; next: z.ZodOptional<z.ZodString> } & Declares<Lists>,
  z.core.$strict
>;

type Declared<Input extends z.ZodType, Item extends z.ZodType, Lists extends Beside> = Omit<
  CallMethod<Input, PageSchema<Item, Lists>>,
  'kind' | 'output' | 'pages' | 'run'
> & {
  /** An item of the list. */
  item: Item;
  pages: Omit<Pages, 'beside'>;
  /** Lists that each page has as well, such as the sources that did not answer. */
  beside?: Lists;
  run(call: Call, input: z.output<Input>): Promise<Page<z.output<Item>> & BesideOf<Lists>>;
};

/** Declares a method that answers a list page by page. The typed client puts the pages together. */
export const list = <Input extends z.ZodType, Item extends z.ZodType, Lists extends Beside>({
  item,
  errors,
  pages,
  beside,
  ...declared
}: Declared<Input, Item, Lists>): CallMethod<Input, PageSchema<Item, Lists>> & { pages: Pages } => ({
  kind: 'call',
  ...declared,
  pages: { ...pages, ...(beside && { beside: Object.keys(beside) }) },
  output: z.strictObject({
    items: z.array(item),
    ...beside,
    next: cursor.optional().describe('Pass it as `after` to get the next page; absent at the end'),
  }) as unknown as PageSchema<Item, Lists>,
  errors: ['bad-cursor', ...errors].sort(),
  run: declared.run as unknown as CallMethod<Input, PageSchema<Item, Lists>>['run'],
});
