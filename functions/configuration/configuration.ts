import type {
  capacityProviderConfig,
  durableConfig,
  ephemeralStorage,
  fileSystemConfig,
  imageConfig,
  loggingConfig,
  snapStart,
  tenancyConfig,
  tracingConfig,
  vpcConfig,
} from '#functions-contract/shapes/settings.ts';
import type { StructureOf } from '#functions-contract/shape.ts';

/**
 * The code and all settings of one version of a function, with every default filled in. It is immutable; an update creates another.
 * Members are spelled as on the wire. The environment variables belong to it too but are stored separately, encrypted.
 */
export interface Configuration {
  readonly PackageType: 'Zip' | 'Image';
  readonly Architecture: Architecture;
  readonly Code: Code;
  readonly Role: string;
  readonly Description: string;
  readonly Timeout: number;
  readonly MemorySize: number;
  readonly TracingConfig: Required<StructureOf<typeof tracingConfig>>;
  readonly EphemeralStorage: StructureOf<typeof ephemeralStorage>;
  readonly SnapStart: Required<StructureOf<typeof snapStart>>;
  readonly LoggingConfig: Logging;
  readonly Layers: readonly Layer[];
  readonly FileSystemConfigs: readonly StructureOf<typeof fileSystemConfig>[];
  /** Absent for container images. */
  readonly Handler?: string;
  /** Absent for container images. */
  readonly Runtime?: string;
  readonly KMSKeyArn?: string;
  readonly VpcConfig?: Vpc;
  readonly DeadLetterTargetArn?: string;
  readonly ImageConfig?: StructureOf<typeof imageConfig>;
  readonly CapacityProviderConfig?: StructureOf<typeof capacityProviderConfig>;
  readonly DurableConfig?: StructureOf<typeof durableConfig>;
  readonly TenancyConfig?: StructureOf<typeof tenancyConfig>;
}

export type Architecture = 'x86_64' | 'arm64';
export type Variables = Readonly<Record<string, string>>;

export interface Code {
  /** Hex; of the archive, or the digest of the image. */
  readonly sha256: string;
  /** Bytes of the archive; 0 for images. */
  readonly size: number;
  /** Bytes once unpacked. */
  readonly unzippedSize: number;
  readonly image?: {
    /** As given in the request. */
    readonly uri: string;
    /** With the image's digest, so that it never refers to another image. */
    readonly resolvedUri: string;
  };
}

export interface Layer {
  readonly Arn: string;
  readonly CodeSize: number;
  /** Hex; of its archive. A deleted layer version stays available to the functions that use it. */
  readonly sha256: string;
}

export type Vpc = Required<StructureOf<typeof vpcConfig>> & {
  /** Empty when the function was disconnected. */
  readonly VpcId: string;
};

export type Logging = StructureOf<typeof loggingConfig> &
  Required<Pick<StructureOf<typeof loggingConfig>, 'LogFormat' | 'LogGroup'>>;
