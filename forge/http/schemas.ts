import Type, {
  type Static,
  type TLiteral,
  type TNull,
  type TObject,
  type TOptional,
  type TSchema,
  type TString,
  type TUnion,
} from 'typebox';

import { type FieldError, invalid } from '../errors/api-error.ts';

/** An enumeration of strings. */
export function stringEnum<const Values extends readonly string[]>(
  values: Values,
): TUnion<{ -readonly [K in keyof Values]: TLiteral<Values[K]> }> {
  const variants = values.map((word) => Type.Literal(word));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no map of an array has a tuple's type
  return Type.Union(variants) as unknown as TUnion<{
    -readonly [K in keyof Values]: TLiteral<Values[K]>;
  }>;
}

/** A value or null. */
export function nullable<S extends TSchema>(schema: S): TUnion<[S, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** How to treat a query parameter that is not one of the allowed values: use the default, or refuse (422, `invalid`). */
export interface QueryRules {
  readonly resource: string;
  readonly refuse?: readonly string[];
}

/** A parameter may be absent, and its value is text or one of several texts. */
type QueryParameter = TOptional<TString> | TOptional<TUnion<TLiteral<string>[]>>;

/**
 * Reads the query parameters of a list. All of them are strings; as on GitHub, values outside of an enumeration are ignored,
 * unless the rules refuse them.
 */
export function readQuery<S extends TObject<Record<string, QueryParameter>>>(
  schema: S,
  query: URLSearchParams,
  rules: QueryRules,
): Static<S> {
  const values: Record<string, string> = {};
  const errors: FieldError[] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = query.get(name);
    if (value === null) continue;
    const allowed = enumValuesOf(property);
    if (!allowed || allowed.includes(value)) values[name] = value;
    else if (rules.refuse?.includes(name)) {
      errors.push({ value, resource: rules.resource, field: name, code: 'invalid' });
    }
  }
  if (errors.length > 0) invalid(...errors);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked against the schema above
  return values as Static<S>;
}

/** The values of an enumeration, nullable or not; undefined for any other schema. */
export function enumValuesOf(schema: TSchema): string[] | undefined {
  const variants: unknown = Reflect.get(schema, 'anyOf');
  if (!Array.isArray(variants)) return undefined;
  const values = variants.flatMap((variant: TSchema) => {
    const constant: unknown = Reflect.get(variant, 'const');
    return typeof constant === 'string' ? [constant] : (enumValuesOf(variant) ?? []);
  });
  return values.length > 0 ? values : undefined;
}
