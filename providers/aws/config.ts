import * as z from 'zod';

export const awsConfig = z.strictObject({
  account: z.string().min(1).optional().describe('Profile in the AWS files. Default: the credential chain of the SDK'),
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d+$/, 'write a region such as eu-central-1')
    .optional()
    .describe('Default zone of servers. Default: AWS_REGION, AWS_DEFAULT_REGION, or the region of the profile'),
  endpoint: z
    .url()
    .optional()
    .describe('API address. Default: AWS_ENDPOINT_URL_EC2, AWS_ENDPOINT_URL, or the address of the region'),
  pollMs: z.int().min(5).default(3_000).describe('Polling interval, in milliseconds'),
});

export type AwsConfig = z.infer<typeof awsConfig>;
