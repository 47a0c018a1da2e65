/** What a function's configuration needs to know of the layers that it names. */
export interface LayerLookup {
  /** Those of the ARNs that exist. A layer version that was deleted stays with the functions that have it. */
  find(arns: readonly string[]): Promise<ReadonlyMap<string, LayerContent>>;
}

export interface LayerContent {
  /** Bytes of the archive. */
  readonly codeSize: number;
  readonly unzippedSize: number;
  /** Hex; of the archive. */
  readonly sha256: string;
}
