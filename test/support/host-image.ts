const VARIABLE = 'TEST_HOST_IMAGE';

/** The Docker image that the hosts of this test file are made of; undefined if it is the provider's own. */
export const hostImage = (): string | undefined => process.env[VARIABLE];

/** Says what the hosts of this test file are made of: by engines, and by what else makes hosts. */
export function useHostImage(image: string | undefined): void {
  if (image === undefined) delete process.env[VARIABLE];
  else process.env[VARIABLE] = image;
}
