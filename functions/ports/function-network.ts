/** What functions without a VPC reach in addition to the server itself; the operator chooses. */
export const functionNetworks = ['none', 'internet', 'host'] as const;

export type FunctionNetwork = (typeof functionNetworks)[number];
