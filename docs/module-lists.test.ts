import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pagesWithLists } from '../scripts/module-lists.js';

const pages = await pagesWithLists(join(import.meta.dirname, '..'));

test('some pages have lists', () => expect(pages.map(({ page }) => page)).toContain('README.md'));

test.each(pages)('$page lists the modules that there are: npm run module-lists', ({ was, wanted }) => expect(was).toBe(wanted));
