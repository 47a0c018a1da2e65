/** What a GraphQL document says, as far as this server reads it: operations, fragments, fields and values. */
export interface Document {
  readonly operations: readonly Operation[];
  readonly fragments: ReadonlyMap<string, Fragment>;
}

export interface Operation {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly name: string | undefined;
  readonly variables: readonly VariableDefinition[];
  readonly selections: readonly Selection[];
  readonly location: SourceLocation;
}

export interface VariableDefinition {
  readonly name: string;
  /** As written, without the exclamation mark: `ID`, `[String!]`. */
  readonly type: string;
  readonly required: boolean;
  readonly fallback: Value | undefined;
  readonly location: SourceLocation;
}

export interface Fragment {
  readonly name: string;
  readonly on: string;
  readonly selections: readonly Selection[];
  readonly location: SourceLocation;
}

export type Selection =
  | FieldSelection
  | { readonly kind: 'spread'; readonly name: string; readonly location: SourceLocation }
  | {
      readonly kind: 'inline';
      /** Without a type the fragment is of the type around it. */
      readonly on: string | undefined;
      readonly selections: readonly Selection[];
      readonly location: SourceLocation;
    };

export interface FieldSelection {
  readonly kind: 'field';
  readonly alias: string | undefined;
  readonly name: string;
  readonly arguments: ReadonlyMap<string, Value>;
  readonly selections: readonly Selection[];
  readonly location: SourceLocation;
}

export type Value =
  | { readonly kind: 'variable'; readonly name: string; readonly location: SourceLocation }
  /** Strings, numbers, booleans, null; values of enumerations are represented as strings. */
  | { readonly kind: 'constant'; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Value> };

/** Both count from one. */
export interface SourceLocation {
  readonly line: number;
  readonly column: number;
}
