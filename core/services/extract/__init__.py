"""From a chat to memories: what is read, what is asked, what the reply is made into; and the tasks that follow it."""
