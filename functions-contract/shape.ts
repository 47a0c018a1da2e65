/**
 * A small language for the wire format of the function service. A shape is data: from it come the TypeScript type
 * (`ValueOf`), the server's checks and their exact messages, and the command line's options, skeletons and help.
 */
export type Shape =
  | StringShape
  | IntegerShape
  | DoubleShape
  | BooleanShape
  | BlobShape
  | StreamShape
  | TimestampShape
  | ListShape
  | MapShape
  | StructureShape;

export interface StringShape {
  readonly type: 'string';
  /** In UTF-16 units, as the recorded service counts. */
  readonly min?: number;
  readonly max?: number;
  /** Holds for the whole text although it has no anchors; as the service prints it. */
  readonly pattern?: string;
  /** Nothing else is taken. */
  readonly values?: readonly string[];
  /** Accepted in addition to `values`, though messages do not name them. */
  readonly unnamed?: readonly string[];
  /** Values to suggest; the service checks them by a rule of its own. */
  readonly known?: readonly string[];
  /** Never shown in messages and logs. */
  readonly sensitive?: boolean;
  /**
   * Data that only travels as JSON, so any character goes. Every other text may become an argument, a variable, a path or a file, so it
   * holds neither U+0000, which ends a text there, nor a lone surrogate, which has no UTF-8.
   */
  readonly anyCharacter?: boolean;
}

export interface IntegerShape {
  readonly type: 'integer' | 'long';
  readonly min?: number;
  readonly max?: number;
}

export interface DoubleShape {
  readonly type: 'double';
  readonly min?: number;
  readonly max?: number;
}

export interface BooleanShape {
  readonly type: 'boolean';
}

/** Bytes; base64 in JSON. */
export interface BlobShape {
  readonly type: 'blob';
  readonly sensitive?: boolean;
}

/** Streamed bytes, in responses only. */
export interface StreamShape {
  readonly type: 'stream';
}

/** Epoch seconds in JSON. */
export interface TimestampShape {
  readonly type: 'timestamp';
}

export interface ListShape {
  readonly type: 'list';
  readonly item: Shape;
  readonly min?: number;
  readonly max?: number;
  /** The printed constraint of its items names that they must not be null. */
  readonly itemsNotNull?: boolean;
  /** Messages name what its items break as if the list broke it. */
  readonly namesItemsAsOne?: boolean;
}

export interface MapShape {
  readonly type: 'map';
  readonly key: StringShape;
  readonly value: Shape;
  readonly min?: number;
  readonly max?: number;
  readonly sensitive?: boolean;
}

export interface StructureShape {
  readonly type: 'structure';
  readonly members: Readonly<Record<string, Member>>;
}

export interface Member {
  readonly shape: Shape;
  readonly required: boolean;
  /** One or two sentences for help. */
  readonly description: string;
  readonly location: MemberLocation;
  /**
   * What the service takes when the member is absent (`withDefaults`). That of a structure is completed by the defaults of its
   * members: `{}` if these are all.
   */
  readonly default?:
    | string
    | number
    | boolean
    | readonly string[]
    | Readonly<Record<string, unknown>>;
  /** The default as help describes it, where it depends on other members. */
  readonly defaultDescription?: string;
  /** Other spellings taken on the way in. */
  readonly aliases?: readonly string[];
}

/** Where a member of an operation's input or output travels. */
export type MemberLocation =
  | { readonly in: 'body' }
  | { readonly in: 'path' }
  | { readonly in: 'query'; readonly name: string }
  | { readonly in: 'header'; readonly name: string }
  /** The body is this member and nothing else. */
  | { readonly in: 'payload' }
  | { readonly in: 'status' };

/** The value of a shape, once parsed: bytes are bytes, and nothing is null. */
export type ValueOf<S extends Shape> = S extends StructureShape
  ? StructureOf<S>
  : S extends { type: 'string'; values: readonly (infer V)[] }
    ? V
    : S extends { type: 'string' }
      ? string
      : S extends { type: 'integer' | 'long' | 'double' | 'timestamp' }
        ? number
        : S extends { type: 'boolean' }
          ? boolean
          : S extends { type: 'blob' }
            ? Uint8Array
            : S extends { type: 'stream' }
              ? AsyncIterable<Uint8Array>
              : S extends { type: 'list'; item: infer I extends Shape }
                ? readonly ValueOf<I>[]
                : S extends { type: 'map'; value: infer V extends Shape }
                  ? Readonly<Record<string, ValueOf<V>>>
                  : never;

/** The value of a structure; what operations take and give. */
export type StructureOf<S extends StructureShape> = StructureValue<S['members']>;

type Members = Readonly<Record<string, Member>>;

type StructureValue<M extends Members> = {
  readonly [K in keyof M as M[K]['required'] extends true ? K : never]: ValueOf<M[K]['shape']>;
} & {
  readonly [K in keyof M as M[K]['required'] extends true ? never : K]?: ValueOf<M[K]['shape']>;
};

type Bounds<S extends Shape> = Omit<S, 'type'>;

export function string<const C extends Bounds<StringShape>>(bounds: C): { type: 'string' } & C {
  return { type: 'string', ...bounds };
}

export function integer<const C extends Bounds<IntegerShape>>(bounds: C): { type: 'integer' } & C {
  return { type: 'integer', ...bounds };
}

export function double<const C extends Bounds<DoubleShape>>(bounds: C): { type: 'double' } & C {
  return { type: 'double', ...bounds };
}

export function list<const I extends Shape, const C extends Omit<ListShape, 'type' | 'item'>>(
  item: I,
  bounds: C,
): { type: 'list'; item: I } & C {
  return { type: 'list', item, ...bounds };
}

export function map<
  const K extends StringShape,
  const V extends Shape,
  const C extends Omit<MapShape, 'type' | 'key' | 'value'>,
>(key: K, value: V, bounds: C): { type: 'map'; key: K; value: V } & C {
  return { type: 'map', key, value, ...bounds };
}

export function structure<const M extends Members>(members: M): { type: 'structure'; members: M } {
  return { type: 'structure', members };
}

export const text = { type: 'string' } as const;
export const long = { type: 'long' } as const;
export const boolean = { type: 'boolean' } as const;
export const blob = { type: 'blob' } as const;
export const stream = { type: 'stream' } as const;
export const timestamp = { type: 'timestamp' } as const;

type MemberExtras = Partial<Pick<Member, 'location' | 'defaultDescription' | 'aliases'>>;
interface Default<S extends Shape> {
  readonly default: DefaultValue<S>;
}
/** Does not go into items and members, as `ValueOf` does: inference would not end. */
type DefaultValue<S extends Shape> = S extends { type: 'string'; values: readonly (infer V)[] }
  ? V
  : S extends { type: 'string' }
    ? string
    : S extends { type: 'integer' | 'long' | 'double' }
      ? number
      : S extends { type: 'boolean' }
        ? boolean
        : S extends { type: 'list' }
          ? readonly string[]
          : S extends { type: 'structure' }
            ? Readonly<Record<string, unknown>>
            : never;
type MemberOf<S extends Shape, R extends boolean, D> = Omit<
  Member,
  'shape' | 'required' | 'default'
> & {
  readonly shape: S;
  readonly required: R;
} & D;

export function required<const S extends Shape>(
  shape: S,
  description: string,
  extras: MemberExtras & Default<NoInfer<S>>,
): MemberOf<S, true, Default<S>>;
export function required<const S extends Shape>(
  shape: S,
  description: string,
  extras?: MemberExtras,
): MemberOf<S, true, object>;
export function required(
  shape: Shape,
  description: string,
  extras: MemberExtras = {},
): Omit<Member, 'default'> {
  return { location: inBody, ...extras, shape, description, required: true };
}

export function optional<const S extends Shape>(
  shape: S,
  description: string,
  extras: MemberExtras & Default<NoInfer<S>>,
): MemberOf<S, false, Default<S>>;
export function optional<const S extends Shape>(
  shape: S,
  description: string,
  extras?: MemberExtras,
): MemberOf<S, false, object>;
export function optional(
  shape: Shape,
  description: string,
  extras: MemberExtras = {},
): Omit<Member, 'default'> {
  return { location: inBody, ...extras, shape, description, required: false };
}

const inBody: MemberLocation = { in: 'body' };
export const inPath: MemberExtras = { location: { in: 'path' } };
export const inPayload: MemberExtras = { location: { in: 'payload' } };
export const inStatus: MemberExtras = { location: { in: 'status' } };
export const inQuery = (name: string): MemberExtras => ({ location: { in: 'query', name } });
export const inHeader = (name: string): MemberExtras => ({ location: { in: 'header', name } });
