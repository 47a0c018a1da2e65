/** What a template says of its functions. What it does not name is undefined. */
export interface Template {
  readonly functions: readonly FunctionTemplate[];
}

export interface FunctionTemplate {
  /** The key in `Resources`. */
  readonly logicalId: string;
  readonly name: string;
  /** Below the folder of the template; '' is that folder. */
  readonly codeUri: string;
  readonly settings: FunctionSettings;
  readonly url: UrlSettings | undefined;
  /** Those whose messages invoke the function. */
  readonly queues: readonly QueueSettings[];
  /** Points to a version that is published of each change. */
  readonly alias: string | undefined;
}

/** Members of CreateFunction and UpdateFunctionConfiguration. */
export interface FunctionSettings {
  readonly Runtime?: string;
  readonly Handler?: string;
  readonly Role?: string;
  readonly Description?: string;
  readonly Timeout?: number;
  readonly MemorySize?: number;
  readonly EphemeralStorage?: { readonly Size: number };
  readonly Architectures?: readonly string[];
  readonly Layers?: readonly string[];
  readonly Environment?: { readonly Variables: Readonly<Record<string, string>> };
}

/** Members of CreateFunctionUrlConfig. */
export interface UrlSettings {
  readonly AuthType: string;
  readonly InvokeMode?: string;
  readonly Cors?: CorsSettings;
}

export interface CorsSettings {
  readonly AllowCredentials?: boolean;
  readonly AllowHeaders?: readonly string[];
  readonly AllowMethods?: readonly string[];
  readonly AllowOrigins?: readonly string[];
  readonly ExposeHeaders?: readonly string[];
  readonly MaxAge?: number;
}

/** An event of type SQS. */
export interface QueueSettings {
  /** The key in `Events`. */
  readonly eventName: string;
  readonly EventSourceArn: string;
  readonly settings: MappingSettings;
}

/** Members of CreateEventSourceMapping and UpdateEventSourceMapping. */
export interface MappingSettings {
  readonly Enabled?: boolean;
  readonly BatchSize?: number;
  readonly MaximumBatchingWindowInSeconds?: number;
  readonly FilterCriteria?: { readonly Filters: readonly { readonly Pattern: string }[] };
  readonly FunctionResponseTypes?: readonly string[];
  readonly ScalingConfig?: { readonly MaximumConcurrency?: number };
}
