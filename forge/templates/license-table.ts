/** A licence that repositories can begin with, and that is recognized in them. */
export interface License {
  /** As in URLs: `mit`. */
  readonly key: string;
  /** https://spdx.org/licenses/ */
  readonly spdxId: string;
  readonly name: string;
  readonly description: string;
  readonly permissions: readonly string[];
  readonly conditions: readonly string[];
  readonly limitations: readonly string[];
  /** Whether lists show it; others are recognized alone. */
  readonly listed: boolean;
}

const usual = ['commercial-use', 'modifications', 'distribution', 'private-use'];
const withPatents = [...usual, 'patent-use'];
const noLiability = ['liability', 'warranty'];
const noTrademarks = ['trademark-use', ...noLiability];
const copyleft = ['include-copyright', 'document-changes', 'disclose-source', 'same-license'];
const notices = ['include-copyright'];

/** By key. The texts are in `licenses/`. */
export const licenses: readonly License[] = [
  {
    key: 'agpl-3.0',
    spdxId: 'AGPL-3.0',
    name: 'GNU Affero General Public License v3.0',
    description: 'Strong copyleft: users over a network get the source of what serves them, too.',
    permissions: withPatents,
    conditions: [...copyleft, 'network-use-disclose'],
    limitations: noLiability,
    listed: true,
  },
  {
    key: 'apache-2.0',
    spdxId: 'Apache-2.0',
    name: 'Apache License 2.0',
    description: 'Permissive: notices and changes are named, and contributors grant patents.',
    permissions: withPatents,
    conditions: ['include-copyright', 'document-changes'],
    limitations: noTrademarks,
    listed: true,
  },
  {
    key: 'bsd-2-clause',
    spdxId: 'BSD-2-Clause',
    name: 'BSD 2-Clause "Simplified" License',
    description: 'Permissive: copies of source and binaries carry the notice.',
    permissions: usual,
    conditions: notices,
    limitations: noLiability,
    listed: true,
  },
  {
    key: 'bsd-3-clause',
    spdxId: 'BSD-3-Clause',
    name: 'BSD 3-Clause "New" or "Revised" License',
    description:
      'Permissive: copies carry the notice, and the names of its authors promote nothing.',
    permissions: usual,
    conditions: notices,
    limitations: noLiability,
    listed: true,
  },
  {
    key: 'bsl-1.0',
    spdxId: 'BSL-1.0',
    name: 'Boost Software License 1.0',
    description: 'Permissive: copies of the source carry the notice, binaries need none.',
    permissions: usual,
    conditions: ['include-copyright--source'],
    limitations: noLiability,
    listed: true,
  },
  {
    key: 'cc0-1.0',
    spdxId: 'CC0-1.0',
    name: 'Creative Commons Zero v1.0 Universal',
    description: 'Gives up all rights that the law lets an author give up.',
    permissions: usual,
    conditions: [],
    limitations: ['liability', 'trademark-use', 'patent-use', 'warranty'],
    listed: true,
  },
  {
    key: 'epl-2.0',
    spdxId: 'EPL-2.0',
    name: 'Eclipse Public License 2.0',
    description: 'Copyleft of files: changes are shared, programs around them need not be.',
    permissions: withPatents,
    conditions: ['disclose-source', 'include-copyright', 'same-license'],
    limitations: noLiability,
    listed: true,
  },
  {
    key: 'gpl-2.0',
    spdxId: 'GPL-2.0',
    name: 'GNU General Public License v2.0',
    description: 'Copyleft: who distributes the program or a change of it also gives the source.',
    permissions: usual,
    conditions: copyleft,
    limitations: noLiability,
    listed: true,
  },
  {
    key: 'gpl-3.0',
    spdxId: 'GPL-3.0',
    name: 'GNU General Public License v3.0',
    description: 'Copyleft that also grants patents and lets users install what they change.',
    permissions: withPatents,
    conditions: copyleft,
    limitations: noLiability,
    listed: true,
  },
  {
    key: 'isc',
    spdxId: 'ISC',
    name: 'ISC License',
    description: 'Permissive: copies carry the notice.',
    permissions: usual,
    conditions: notices,
    limitations: noLiability,
    listed: false,
  },
  {
    key: 'lgpl-2.1',
    spdxId: 'LGPL-2.1',
    name: 'GNU Lesser General Public License v2.1',
    description: 'Copyleft of libraries: programs that use them may have other licences.',
    permissions: usual,
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'same-license'],
    limitations: noLiability,
    listed: true,
  },
  {
    key: 'mit',
    spdxId: 'MIT',
    name: 'MIT License',
    description: 'Permissive: copies carry the notice.',
    permissions: usual,
    conditions: notices,
    limitations: noLiability,
    listed: true,
  },
  {
    key: 'mpl-2.0',
    spdxId: 'MPL-2.0',
    name: 'Mozilla Public License 2.0',
    description: 'Copyleft of files: changed files are shared, larger works need not be.',
    permissions: withPatents,
    conditions: ['disclose-source', 'include-copyright', 'same-license'],
    limitations: ['liability', 'trademark-use', 'warranty'],
    listed: true,
  },
  {
    key: 'unlicense',
    spdxId: 'Unlicense',
    name: 'The Unlicense',
    description: 'Dedicates the program to the public domain.',
    permissions: usual,
    conditions: [],
    limitations: noLiability,
    listed: true,
  },
];

export function licenseByKey(key: string): License | undefined {
  const wanted = key.toLowerCase();
  return licenses.find((license) => license.key === wanted);
}
