import { join, relative } from 'node:path';

import { rootFolder } from '../running-server.ts';

/** A client and how it is run. `HOB_HOST`, logins and tokens of an owner and a guest are in its environment. */
export interface Client {
  readonly name: string;
  /** The command that installs it. */
  readonly install: string;
  /** Ways to start it; the first whose probe succeeds is taken. */
  readonly ways: readonly { readonly probe: readonly string[]; readonly run: readonly string[] }[];
}

const toolsFolder = join(import.meta.dirname, 'npm');

/** A tool of `npm/package.json`, run with the Node that runs Hob. */
function tool(name: string, command = name): Client {
  const program = join(toolsFolder, 'node_modules', '.bin', command);
  return {
    name,
    install: `npm ci --ignore-scripts --prefix ${relative(rootFolder, toolsFolder)}`,
    ways: [{ probe: ['test', '-x', program], run: ['bash', `${name}.sh`] }],
  };
}

/** Where Terraform looks for plugins before it downloads them. */
const terraformPlugins = '/usr/local/share/terraform/plugins';

export const clients: readonly Client[] = [
  {
    name: 'hub',
    install: 'apt-get install hub',
    ways: [{ probe: ['hub', '--version'], run: ['bash', 'hub.sh'] }],
  },
  {
    name: 'gh',
    install: 'apt-get install gh',
    ways: [{ probe: ['gh', '--version'], run: ['bash', 'gh.sh'] }],
  },
  {
    name: 'gh commands',
    install: 'apt-get install gh',
    ways: [{ probe: ['gh', '--version'], run: ['bash', 'gh-commands.sh'] }],
  },
  {
    name: 'gh repositories',
    install: 'apt-get install gh',
    ways: [{ probe: ['gh', '--version'], run: ['bash', 'gh-repositories.sh'] }],
  },
  {
    name: 'gh sign-in',
    install: 'apt-get install gh iproute2, and permission to make a network namespace',
    // As root, or in a user namespace of its own.
    ways: [
      ['unshare', '--net'],
      ['unshare', '--map-root-user', '--net'],
    ].map((unshare) => ({
      probe: [...unshare, 'bash', '-c', 'gh --version && ip link set lo up'],
      run: ['bash', 'gh-sign-in.sh', ...unshare],
    })),
  },
  {
    name: 'Git LFS',
    install: 'apt-get install git-lfs',
    ways: [{ probe: ['git', 'lfs', 'version'], run: ['bash', 'git-lfs.sh'] }],
  },
  {
    name: 'PyGithub',
    install: 'apt-get install python3-github',
    // A Python of one's own hides the packages of the system's.
    ways: ['python3', '/usr/bin/python3'].map((python) => ({
      probe: [python, '-c', 'import github'],
      run: [python, 'pygithub.py'],
    })),
  },
  {
    name: 'libgit2',
    install: 'apt-get install python3-pygit2 openssh-client',
    ways: ['python3', '/usr/bin/python3'].map((python) => ({
      probe: [python, '-c', 'import pygit2; assert pygit2.features & pygit2.GIT_FEATURE_SSH'],
      run: [python, 'libgit2_ssh.py'],
    })),
  },
  {
    name: 'octokit.rb',
    install: 'apt-get install ruby-octokit',
    ways: ['ruby', '/usr/bin/ruby'].map((ruby) => ({
      probe: [ruby, '-e', 'require "octokit"'],
      run: [ruby, 'octokit.rb'],
    })),
  },
  {
    name: 'AWS CLI',
    install: 'apt-get install awscli',
    // A version 1 on the path must not hide the system's version 2: version 1 has no `logs tail`.
    ways: [
      ...['aws', '/usr/bin/aws'].map((aws) => ({
        probe: ['bash', '-c', '"$1" --version 2>&1 | grep -q "^aws-cli/2"', 'probe', aws],
        run: ['bash', 'awscli.sh', aws],
      })),
      { probe: ['aws', '--version'], run: ['bash', 'awscli.sh', 'aws'] },
    ],
  },
  {
    name: 'boto3',
    install: 'apt-get install python3-boto3',
    ways: ['python3', '/usr/bin/python3'].map((python) => ({
      probe: [python, '-c', 'import boto3'],
      run: [python, 'boto3_lambda.py'],
    })),
  },
  {
    name: 'Terraform',
    install: `Terraform, and terraform providers mirror ${terraformPlugins}`,
    ways: [
      {
        probe: [
          'bash',
          '-c',
          'terraform version && test -d "$1/registry.terraform.io/hashicorp/aws"',
          'probe',
          terraformPlugins,
        ],
        run: ['bash', 'terraform.sh', terraformPlugins],
      },
    ],
  },
  tool('release-it'),
  tool('changesets', 'changeset'),
  tool('semantic-release'),
  tool('release-please'),
  tool('renovate'),
];
