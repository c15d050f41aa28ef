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

type PageSchema<Item extends z.ZodType> = z.ZodObject<
  { items: z.ZodArray<Item>; next: z.ZodOptional<z.ZodString> },
  z.core.$strict
>;

type Declared<Input extends z.ZodType, Item extends z.ZodType> = Omit<
  CallMethod<Input, PageSchema<Item>>,
  'kind' | 'output' | 'pages' | 'run'
> & {
  /** An item of the list. */
  item: Item;
  pages: Pages;
  run(call: Call, input: z.output<Input>): Promise<Page<z.output<Item>>>;
};

/** Declares a method that answers a list page by page. The typed client puts the pages together. */
export const list = <Input extends z.ZodType, Item extends z.ZodType>({
  item,
  errors,
  ...declared
}: Declared<Input, Item>): CallMethod<Input, PageSchema<Item>> & { pages: Pages } => ({
  kind: 'call',
  ...declared,
  output: z.strictObject({
    items: z.array(item),
    next: cursor.optional().describe('Pass it as `after` to get the next page; absent at the end'),
  }) as PageSchema<Item>,
  errors: ['bad-cursor', ...errors].sort(),
  run: declared.run as CallMethod<Input, PageSchema<Item>>['run'],
});
