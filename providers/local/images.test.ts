import { describe, expect, test } from 'vitest';
import { dockerImage, releaseOf } from './images.js';
import { local } from './index.js';

describe('the images of local hosts', () => {
  test.each([
    ['debian-12', 'bookworm'],
    ['debian-13', 'trixie'],
  ])('%s is %s', (image, release) => {
    expect(releaseOf(image)).toBe(release);
    expect(dockerImage({}, image)).toMatch(new RegExp(`^provisioning-host:${release}-\\d+$`));
    expect(local.images.supported).toContain(image);
  });

  test('one that is set stands for all of them', () => expect(dockerImage({ image: 'mine:1' }, 'debian-13')).toBe('mine:1'));

  test.each(['debian-14', 'toString'])('%s is refused, with those that there are', (image) => {
    const refused = { code: 'unknown-image', hint: 'there are debian-12, debian-13' };
    expect(() => dockerImage({}, image)).toThrow(expect.objectContaining({ details: expect.objectContaining(refused) }));
  });
});
