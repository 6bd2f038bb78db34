"""Files made from the store: the HTML report, pictures of the state graph, JUnit XML."""
