# The life of an invitation, a status and a pull by octokit.rb.

require 'octokit'

def client(token)
  Octokit::Client.new(access_token: token, api_endpoint: "https://#{ENV.fetch('HOB_HOST')}/api/v3/")
end

def step(what, got, expected = true)
  unless got == expected
    puts "FAILED #{what}\nexpected #{expected.inspect}, got #{got.inspect}"
    exit 1
  end
  puts "ok #{what}"
end

def refused(error)
  yield
  false
rescue error
  true
end

login = ENV.fetch('OWNER')
visitor = ENV.fetch('GUEST')
owner = client(ENV.fetch('OWNER_TOKEN'))
guest = client(ENV.fetch('GUEST_TOKEN'))
repo = "#{login}/by-octokit-rb"

begin
  step 'authenticates with the token', owner.user.login, login
  step 'creates a repository', owner.create_repository('by-octokit-rb', auto_init: true).full_name, repo

  owner.invite_user_to_repository(repo, visitor)
  id = owner.repository_invitations(repo).first.id
  step 'invites a collaborator', guest.user_repository_invitations.map(&:id), [id]
  step 'updates the permission of the invitation',
       owner.update_repository_invitation(repo, id, permissions: 'admin').permissions, 'admin'
  step 'declines the invitation', guest.decline_repository_invitation(id)
  step 'a cancelled or declined invitation cannot be accepted', refused(Octokit::NotFound) { guest.accept_repository_invitation(id) }
  owner.invite_user_to_repository(repo, visitor)
  id = guest.user_repository_invitations.first.id
  guest.accept_repository_invitation(id)
  step 'accepts the invitation', owner.collaborator?(repo, visitor)

  main = guest.ref(repo, 'heads/main').object.sha
  guest.create_ref(repo, 'heads/topic', main)
  made = guest.create_contents(repo, 'topic.txt', 'Add topic.txt', "topic\n", branch: 'topic')
  sha = made.commit.sha
  step 'the guest commits', guest.branch(repo, 'topic').commit.sha, sha

  step 'creates a commit status', guest.create_status(repo, sha, 'pending', context: 'ci').state, 'pending'
  guest.create_status(repo, sha, 'success', context: 'ci')
  step 'lists statuses', owner.statuses(repo, sha).map(&:state), %w[success pending]
  step 'shows the combined status', owner.combined_status(repo, 'topic').state, 'success'

  step 'opens a pull request', guest.create_pull_request(repo, 'main', 'topic', 'Topic').number, 1
  step 'a second pull request of the same branch is rejected',
       refused(Octokit::UnprocessableEntity) { guest.create_pull_request(repo, 'main', 'topic', 'Topic') }
  step 'lists the pull request', owner.pull_requests(repo).map(&:title), ['Topic']
  step 'updates the title of the pull request', owner.update_pull_request(repo, 1, title: 'Better').title, 'Better'
  step 'lists the files of the pull request', owner.pull_request_files(repo, 1).map(&:filename), ['topic.txt']
  step 'lists the commits of the pull request', owner.pull_request_commits(repo, 1).map(&:sha), [sha]
  step 'follows the links of the pull request', owner.pull_request(repo, 1).rels[:statuses].get.data.size, 2
  step 'the pull request is not merged', owner.pull_merged?(repo, 1), false
  step 'merges the pull request', owner.merge_pull_request(repo, 1, 'Merge it').merged
  step 'the pull request is merged', owner.pull_merged?(repo, 1)
  step 'the merge is in git', owner.contents(repo, path: 'topic.txt').name, 'topic.txt'
  step 'the activity lists the events', owner.repository_events(repo).map(&:type).include?('PullRequestEvent')
rescue StandardError => e
  puts "FAILED octokit.rb\n#{e.full_message(highlight: false)}"
  exit 1
end
