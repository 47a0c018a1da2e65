import { nodeId } from '../../json/node-id.ts';
import type { LanguageBytes } from '../../repositories/read-languages.ts';
import { type License, licenseByKey } from '../../templates/license-table.ts';
import { type Arguments, optionalObject, optionalText } from '../engine/arguments.ts';
import { connectList, type Connection } from '../engine/connection.ts';
import { always, type Fields, type GraphqlContext, type Resolvers } from './context.ts';
import type { RepositorySource } from './sources.ts';

interface LanguageSource {
  readonly name: string;
}

interface LanguageConnection extends Connection<LanguageBytes> {
  readonly totalSize: () => Promise<number>;
}

/** What the code of the default branch says of itself. */
export const codeFields: Fields<RepositorySource> = {
  primaryLanguage: ({ repository: { language } }): LanguageSource | null =>
    language === null ? null : { name: language },
  languages: languagesOf,
  licenseInfo: ({ repository }) => {
    if (repository.license === null) return null;
    return licenseByKey(repository.license) ?? other;
  },
};

const other: Pick<License, 'key' | 'name' | 'spdxId'> = {
  key: 'other',
  name: 'Other',
  spdxId: 'NOASSERTION',
};

function languagesOf(
  at: RepositorySource,
  values: Arguments,
  context: GraphqlContext,
): LanguageConnection {
  const ascending = optionalText(optionalObject(values, 'orderBy') ?? {}, 'direction') === 'ASC';
  let read: Promise<readonly LanguageBytes[]> | undefined;
  const list = (): Promise<readonly LanguageBytes[]> => (read ??= readAll());
  const readAll = async (): Promise<readonly LanguageBytes[]> => {
    await context.access({ id: at.repository.id }, 'repos/list-languages');
    const found = await context.loaders.languages(at);
    return ascending ? found.toReversed() : found;
  };
  return {
    ...connectList('languages', values, list, ({ name }) => name),
    totalSize: async () => (await list()).reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

const languageFields: Fields<LanguageSource> = {
  id: ({ name }) => nodeId('Language', name),
  name: ({ name }) => name,
  color: always(null),
};

const edgeFields: Fields<{ readonly node: LanguageBytes }> = { size: ({ node }) => node.bytes };

const connectionFields: Fields<LanguageConnection> = { totalSize: ({ totalSize }) => totalSize() };

const licenseFields: Fields<Pick<License, 'key' | 'name' | 'spdxId'>> = {
  id: ({ key }) => nodeId('License', key),
  key: ({ key }) => key,
  name: ({ name }) => name,
  nickname: always(null),
  spdxId: ({ spdxId }) => spdxId,
  url: ({ key, spdxId }) => (key === 'other' ? null : `https://spdx.org/licenses/${spdxId}.html`),
};

export const codeResolvers: Resolvers = {
  Language: languageFields,
  LanguageConnection: connectionFields,
  LanguageEdge: edgeFields,
  License: licenseFields,
};
