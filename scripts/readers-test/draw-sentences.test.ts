import { expect, test } from 'vitest';
import type { ProductText } from '../../test/support/product-texts.js';
import { drawSentences } from './draw-sentences.js';

const FAMILIES = ['help', 'fields', 'errors', 'guides', 'pages', 'README', 'services'] as const;
const texts = FAMILIES.flatMap((family) =>
  Array.from(
    { length: 30 },
    (_, index): ProductText => ({ family, path: `${family}.md`, line: index + 1, text: `the ${family} has number ${index}` }),
  ),
);

test('sentences come evenly from the four sources, each once', () => {
  const drawn = drawSentences(texts, '4ac84e6d', 60);
  const counts = drawn.map(({ source }) => source);
  for (const source of ['help', 'errors', 'guides', 'READMEs'] as const)
    expect(counts.filter((one) => one === source)).toHaveLength(15);
  expect(new Set(drawn.map(({ sentence }) => sentence)).size).toBe(60);
});

test('a seed draws the same sentences again, in whatever order they are found, and another seed others', () => {
  const drawn = drawSentences(texts, '4ac84e6d', 60);
  expect(drawSentences([...texts].reverse(), '4ac84e6d', 60)).toEqual(drawn);
  expect(drawSentences(texts, '4ac84e6e', 60)).not.toEqual(drawn);
});

test('a repeated sentence, a part, a phrase of three words and a source that is too small are not drawn', () => {
  const few = texts.filter(({ family, line }) => family === 'errors' && line < 3);
  const all = [
    ...texts.filter(({ family }) => family !== 'errors'),
    ...few,
    ...few,
    { ...few[0], text: 'only three words, 5 6' },
    { ...few[0], text: 'it is part of another', isPart: true },
  ];
  expect(() => drawSentences(all as ProductText[], 'x', 60)).toThrow('errors has 2 sentences, and 15 are drawn');
});

test('code of a page is part of its sentence', () => {
  const page = FAMILIES.flatMap((family) =>
    Array.from({ length: 15 }, (_, index) => ({
      family,
      path: 'a.md',
      line: 1,
      text: 'Run `code` once more',
      shown: `Run \`x${family}${index}\` once more`,
    })),
  );
  expect(drawSentences(page, 'x', 60)[30]?.sentence).toMatch(/^Run `x(?:guides|pages)\d+` once more$/);
});
