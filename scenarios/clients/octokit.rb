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
  step 'the token is known', owner.user.login, login
  step 'a repository is made', owner.create_repository('by-octokit-rb', auto_init: true).full_name, repo

  owner.invite_user_to_repository(repo, visitor)
  id = owner.repository_invitations(repo).first.id
  step 'a collaborator is invited', guest.user_repository_invitations.map(&:id), [id]
  step 'the invitation gets another permission',
       owner.update_repository_invitation(repo, id, permissions: 'admin').permissions, 'admin'
  step 'the invitation is declined', guest.decline_repository_invitation(id)
  step 'nobody accepts it any more', refused(Octokit::NotFound) { guest.accept_repository_invitation(id) }
  owner.invite_user_to_repository(repo, visitor)
  id = guest.user_repository_invitations.first.id
  guest.accept_repository_invitation(id)
  step 'the invitation is accepted', owner.collaborator?(repo, visitor)

  main = guest.ref(repo, 'heads/main').object.sha
  guest.create_ref(repo, 'heads/topic', main)
  made = guest.create_contents(repo, 'topic.txt', 'Add topic.txt', "topic\n", branch: 'topic')
  sha = made.commit.sha
  step 'the guest commits', guest.branch(repo, 'topic').commit.sha, sha

  step 'a status is made', guest.create_status(repo, sha, 'pending', context: 'ci').state, 'pending'
  guest.create_status(repo, sha, 'success', context: 'ci')
  step 'statuses are listed', owner.statuses(repo, sha).map(&:state), %w[success pending]
  step 'statuses are combined', owner.combined_status(repo, 'topic').state, 'success'

  step 'a pull is opened', guest.create_pull_request(repo, 'main', 'topic', 'Topic').number, 1
  step 'a second one of the same branch is refused',
       refused(Octokit::UnprocessableEntity) { guest.create_pull_request(repo, 'main', 'topic', 'Topic') }
  step 'the pull is listed', owner.pull_requests(repo).map(&:title), ['Topic']
  step 'the pull is edited', owner.update_pull_request(repo, 1, title: 'Better').title, 'Better'
  step 'its files are listed', owner.pull_request_files(repo, 1).map(&:filename), ['topic.txt']
  step 'its commits are listed', owner.pull_request_commits(repo, 1).map(&:sha), [sha]
  step 'its relations lead somewhere', owner.pull_request(repo, 1).rels[:statuses].get.data.size, 2
  step 'it is not merged yet', owner.pull_merged?(repo, 1), false
  step 'the pull is merged', owner.merge_pull_request(repo, 1, 'Merge it').merged
  step 'it is merged now', owner.pull_merged?(repo, 1)
  step 'git has it', owner.contents(repo, path: 'topic.txt').name, 'topic.txt'
  step 'the events tell it', owner.repository_events(repo).map(&:type).include?('PullRequestEvent')
rescue StandardError => e
  puts "FAILED octokit.rb\n#{e.full_message(highlight: false)}"
  exit 1
end
