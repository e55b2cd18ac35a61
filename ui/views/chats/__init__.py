"""The page Chats: floors, what was made of them, and up to where a chat is processed."""
