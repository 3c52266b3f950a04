"""The server around the page: its folder of files, what strangers may send, and how it stops. No page is drawn here."""
