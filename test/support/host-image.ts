const VARIABLE = 'TEST_HOST_IMAGE';

/** Returns the Docker image for hosts of this test file; undefined for the provider's own image. */
export const hostImage = (): string | undefined => process.env[VARIABLE];

/** Sets the image for hosts of this test file, for engines and other code that creates hosts. */
export function useHostImage(image: string | undefined): void {
  if (image === undefined) delete process.env[VARIABLE];
  else process.env[VARIABLE] = image;
}
