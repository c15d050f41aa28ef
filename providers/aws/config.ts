import * as z from 'zod';

export const awsConfig = z.strictObject({
  account: z.string().min(1).optional().describe("A profile of AWS's own files. Default: the chain of the SDK"),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d+$/, 'write a region such as eu-central-1')
    .optional()
    .describe('Where servers without a zone go. Default: AWS_REGION, AWS_DEFAULT_REGION, or the region of the profile'),
  endpoint: z
    .url()
    .optional()
    .describe('Address of the API. Default: AWS_ENDPOINT_URL_EC2, AWS_ENDPOINT_URL, or that of the region'),
  pollMs: z.int().min(5).default(3_000).describe('How often to ask while waiting, in milliseconds'),
});

export type AwsConfig = z.infer<typeof awsConfig>;
