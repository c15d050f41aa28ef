import { expect, test } from 'vitest';
import { isFetched } from './artifact.js';

test.each([
  ['https://artifacts.example.org/shop-1.4.2.tar.gz', true],
  ['http://127.0.0.1:8080/shop', true],
  ['https://git.example.org/shop.git at c0ffee123456', false],
  ['the build of https://git.example.org/shop.git at c0ffee123456', false],
  ['the directory ./shop at c0ffee123456', false],
])('a host fetches %s again: %s', (url, fetches) => expect(isFetched({ url })).toBe(fetches));
